// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements FloatMultiply, and the parts of Multiply that most multiplies have in common.

#include "Kernels/Core/FloatMultiply.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

Multiply::Values Multiply::start(const PanelBlock & /*block*/) {
  return Values(registers, b.create<arith::ConstantOp>(b.getZeroAttr(type)));
}

FloatMultiply::FloatMultiply(ImplicitLocOpBuilder &builder, Value inputs, Value weights,
                             int64_t block)
    : Multiply(builder, block, VectorType::get({block}, builder.getF32Type())), x(inputs),
      w(weights) {}

Multiply::Values FloatMultiply::loadWeights(Value offset) {
  return {b.create<vector::LoadOp>(type, w, offset)};
}

Multiply::Values FloatMultiply::loadInputs(ArrayRef<Value> offsets, int64_t /*steps*/) {
  if (!offsets[0]) {
    return {Value()};
  }
  Value scalar = b.create<memref::LoadOp>(x, offsets[0]);
  return {b.create<vector::BroadcastOp>(type, scalar)};
}

Value FloatMultiply::multiplyAdd(int64_t /*i*/, Value sum, ArrayRef<Value> inputs,
                                 ArrayRef<Value> weights) {
  return inputs[0] ? b.create<math::FmaOp>(weights[0], inputs[0], sum).getResult() : sum;
}

} // namespace convoy::kernels
