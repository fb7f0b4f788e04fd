// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the multiply with dot products of 64-bit Arm.

#include "Kernels/Core/LaneDotMultiply.h"
#include "Kernels/Core/LaneMemory.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

/// Lanes of a register.
static constexpr int64_t kLanes = 4;

LaneDotMultiply::LaneDotMultiply(ImplicitLocOpBuilder &builder, Value inputs, Value weights,
                                 int64_t block, DotForm form, DotInputs numbers, BiasOf bias)
    : DotMultiply(builder, inputs, weights, kLanes, form, numbers, std::move(bias)) {
  this->block = block;
  registers = block / kLanes;
  loadedSteps = kLanes;
}

Multiply::Values LaneDotMultiply::loadWeights(Value offset) {
  Values weights;
  for (int64_t i = 0; i < registers; ++i) {
    weights.push_back(loadInts(b, w, add(offset, i * kLanes * depth), kLanes));
  }
  return weights;
}

/// Loads a register, or broadcasts fewer steps one by one. Padding is the same in every lane.
Multiply::Values LaneDotMultiply::loadInputs(ArrayRef<Value> offsets, int64_t steps) {
  if (!offsets[0]) {
    return {padding(padByte(0))};
  }
  if (steps == kLanes) {
    return {asFactor(loadInts(b, x, offsets[0], steps), numbers.isSigned)};
  }
  Values loaded;
  for (int64_t step = 0; step < steps; ++step) {
    Value lane = spread(loadInts(b, x, add(offsets[0], step * depth), 1));
    loaded.push_back(asFactor(lane, numbers.isSigned));
  }
  return loaded;
}

Multiply::Values LaneDotMultiply::inputsOf(ArrayRef<Value> loaded, int64_t step) {
  if (!loaded[0] || loaded.size() > 1) {
    return {loaded[loaded.size() > 1 ? step : 0]};
  }
  return {b.create<vector::BroadcastOp>(type, b.create<vector::ExtractOp>(loaded[0], step))};
}

Value LaneDotMultiply::multiplyAdd(int64_t i, Value sum, ArrayRef<Value> inputs,
                                   ArrayRef<Value> weights) {
  return inputs[0] ? dot.addBytes(sum, inputs[0], weights[i]) : sum;
}

Multiply::Values LaneDotMultiply::start(const PanelBlock &panel) {
  Value all = withBias(loadInts(b, w, panel.head, block), panel);
  Values sums;
  for (int64_t i = 0; i < registers; ++i) {
    auto taken = llvm::to_vector(llvm::seq(i * kLanes, (i + 1) * kLanes));
    sums.push_back(b.create<vector::ShuffleOp>(all, all, taken));
  }
  return sums;
}

Multiply::Values LaneDotMultiply::finish(ArrayRef<Value> cell, ArrayRef<Value> /*corrections*/) {
  return {joinLanes(b, cell)};
}

} // namespace convoy::kernels
