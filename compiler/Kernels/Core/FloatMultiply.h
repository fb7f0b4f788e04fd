// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of f32: each step multiplies a vector of weights by one input, which is broadcast to all
// lanes.

#pragma once

#include "Kernels/Core/Multiply.h"

namespace convoy::kernels {

class FloatMultiply : public Multiply {
public:
  FloatMultiply(mlir::ImplicitLocOpBuilder &builder, mlir::Value inputs, mlir::Value weights,
                int64_t block);

  Values loadWeights(mlir::Value offset) override;
  Values loadInputs(llvm::ArrayRef<mlir::Value> offsets, int64_t steps) override;
  mlir::Value multiplyAdd(int64_t i, mlir::Value sum, llvm::ArrayRef<mlir::Value> inputs,
                          llvm::ArrayRef<mlir::Value> weights) override;

private:
  mlir::Value x, w;
};

} // namespace convoy::kernels
