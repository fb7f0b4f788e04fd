// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of 64-bit Arm (SDOT and USDOT). One factor is a lane of a register, so one load
// reads four steps of a pixel, and no instruction broadcasts them:
//
//     sdot  sums[i].4s, weights[i].16b, input.4b[step]
//
// A register has four lanes. A cell has one register per four output channels.

#pragma once

#include "Kernels/Core/DotMultiply.h"

namespace convoy::kernels {

class LaneDotMultiply : public DotMultiply {
public:
  LaneDotMultiply(mlir::ImplicitLocOpBuilder &builder, mlir::Value inputs, mlir::Value weights,
                  int64_t block, DotForm form, DotInputs numbers, BiasOf bias = nullptr);

  Values loadWeights(mlir::Value offset) override;
  Values loadInputs(llvm::ArrayRef<mlir::Value> offsets, int64_t steps) override;
  Values inputsOf(llvm::ArrayRef<mlir::Value> loaded, int64_t step) override;
  mlir::Value multiplyAdd(int64_t i, mlir::Value sum, llvm::ArrayRef<mlir::Value> inputs,
                          llvm::ArrayRef<mlir::Value> weights) override;
  Values start(const PanelBlock &panel) override;
  Values finish(llvm::ArrayRef<mlir::Value> cell, llvm::ArrayRef<mlir::Value> corrections) override;
};

} // namespace convoy::kernels
