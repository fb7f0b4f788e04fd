// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements FloatMultiply.

#include "Kernels/Core/FloatMultiply.h"

using namespace mlir;

namespace convoy::kernels {

Multiply::Values FloatMultiply::loadWeights(Value offset) {
  return {load(lanes, w, Index{offset, 1, {}})};
}

Multiply::Values FloatMultiply::loadInputs(ArrayRef<Value> offsets, int64_t /*steps*/) {
  return {offsets[0] ? lanes.splat(load(lanes, x, lanes.uniform(offsets[0]))) : Value()};
}

Value FloatMultiply::multiplyAdd(int64_t /*i*/, Value sum, ArrayRef<Value> inputs,
                                 ArrayRef<Value> weights) {
  return inputs[0] ? lanes.fma(weights[0], inputs[0], sum) : sum;
}

} // namespace convoy::kernels
