// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products in f32: each step multiplies a vector of weights by one input, which is broadcast to all
// lanes. Narrow floats are converted when they are loaded.

#pragma once

#include "Kernels/Core/Multiply.h"
#include "Kernels/Loops/Registers.h"

namespace convoy::kernels {

class FloatMultiply : public Multiply {
public:
  /// A block of one channel is a scalar.
  FloatMultiply(mlir::ImplicitLocOpBuilder &builder, Buffer inputs, Buffer weights, int64_t block)
      : Multiply(builder, block, Lanes(builder, block).type(builder.getF32Type())), x(inputs),
        w(weights), lanes(builder, block) {}

  Values loadWeights(mlir::Value offset) override;
  Values loadInputs(llvm::ArrayRef<mlir::Value> offsets, int64_t steps) override;
  mlir::Value multiplyAdd(int64_t i, mlir::Value sum, llvm::ArrayRef<mlir::Value> inputs,
                          llvm::ArrayRef<mlir::Value> weights) override;

private:
  Buffer x, w;
  Lanes lanes;
};

} // namespace convoy::kernels
