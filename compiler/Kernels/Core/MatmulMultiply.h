// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of bytes with USMMLA of Arm's I8MM. An instruction multiplies two pixels with two output
// channels and sums eight input channels:
//
//     sums[i]  =  p0c0 p0c1 p1c0 p1c1   c0 = 2 i, c1 = 2 i + 1
//
// A cell has two pixels and one register per two output channels. finish() sorts the sums by pixel.

#pragma once

#include "Kernels/Core/DotMultiply.h"

namespace convoy::kernels {

/// Input channels per step.
inline constexpr int64_t kMatmulDepth = 8;

class MatmulMultiply : public DotMultiply {
public:
  MatmulMultiply(mlir::ImplicitLocOpBuilder &builder, mlir::Value inputs, mlir::Value weights,
                 int64_t block, DotForm form, DotInputs numbers, BiasOf bias = nullptr);

  Values loadWeights(mlir::Value offset) override;
  Values loadInputs(llvm::ArrayRef<mlir::Value> offsets, int64_t steps) override;
  Values inputsOf(llvm::ArrayRef<mlir::Value> loaded, int64_t step) override;
  mlir::Value multiplyAdd(int64_t i, mlir::Value sum, llvm::ArrayRef<mlir::Value> inputs,
                          llvm::ArrayRef<mlir::Value> weights) override;
  Values start(const PanelBlock &panel) override;
  Values finish(llvm::ArrayRef<mlir::Value> cell, llvm::ArrayRef<mlir::Value> corrections) override;

private:
  mlir::Value loadPixel(mlir::Value offset, int64_t steps);
};

} // namespace convoy::kernels
