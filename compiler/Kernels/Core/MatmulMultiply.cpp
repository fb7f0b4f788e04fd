// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the multiply with USMMLA.

#include "Kernels/Core/MatmulMultiply.h"
#include "Kernels/Core/LaneMemory.h"
#include "Kernels/Kernel.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Lanes of a register, and lanes of a row of bytes or sums in it.
constexpr int64_t kLanes = 4;
constexpr int64_t kRowLanes = 2;
/// Steps whose inputs a load of a whole register reads.
constexpr int64_t kSteps = 2;

} // namespace

MatmulMultiply::MatmulMultiply(ImplicitLocOpBuilder &builder, Value inputs, Value weights,
                               int64_t block, DotForm form, DotInputs numbers, BiasOf bias)
    : DotMultiply(builder, inputs, weights, kLanes, form, numbers, std::move(bias)) {
  this->block = block;
  depth = kMatmulDepth;
  pixels = 2;
  registers = block / kRowLanes;
  loadedSteps = kSteps;
}

Multiply::Values MatmulMultiply::loadWeights(Value offset) {
  Values weights;
  for (int64_t i = 0; i < registers; ++i) {
    weights.push_back(loadInts(b, w, add(offset, i * kRowLanes * depth), kLanes));
  }
  return weights;
}

/// Loads the channels of a pixel. A pixel outside the image has bytes that represent zero.
Value MatmulMultiply::loadPixel(Value offset, int64_t steps) {
  if (offset) {
    return asFactor(loadInts(b, x, offset, steps * kRowLanes), numbers.isSigned);
  }
  auto lanes = VectorType::get({steps * kRowLanes}, b.getI32Type());
  auto bytes = static_cast<int32_t>(padByte(0) * 0x01010101);
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(lanes, bytes));
}

/// Returns a register per step with a row of bytes of both pixels.
Multiply::Values MatmulMultiply::loadInputs(ArrayRef<Value> offsets, int64_t steps) {
  if (!offsets[0] && !offsets[1] && ignoresPadding) {
    return Values(steps);
  }
  Value first = loadPixel(offsets[0], steps);
  Value second = loadPixel(offsets[1], steps);
  Values loaded;
  for (int64_t step = 0; step < steps; ++step) {
    int64_t row = step * kRowLanes;
    int64_t other = (steps + step) * kRowLanes;
    SmallVector<int64_t> taken = {row, row + 1, other, other + 1};
    loaded.push_back(b.create<vector::ShuffleOp>(first, second, taken));
  }
  return loaded;
}

Multiply::Values MatmulMultiply::inputsOf(ArrayRef<Value> loaded, int64_t step) {
  return {loaded[step]};
}

Value MatmulMultiply::multiplyAdd(int64_t i, Value sum, ArrayRef<Value> inputs,
                                  ArrayRef<Value> weights) {
  return inputs[0] ? b.create<MatmulBytesOp>(type, sum, inputs[0], weights[i]).getResult() : sum;
}

/// Both pixels start with the same numbers.
Multiply::Values MatmulMultiply::start(const PanelBlock &panel) {
  Value all = withBias(loadInts(b, w, panel.head, block), panel);
  Values sums;
  for (int64_t first = 0; first < block; first += kRowLanes) {
    SmallVector<int64_t> taken = {first, first + 1, first, first + 1};
    sums.push_back(b.create<vector::ShuffleOp>(all, all, taken));
  }
  return sums;
}

Multiply::Values MatmulMultiply::finish(ArrayRef<Value> cell, ArrayRef<Value> /*corrections*/) {
  Values sums;
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    Values parts;
    for (size_t i = 0; i < cell.size(); i += 2) {
      int64_t row = pixel * kRowLanes;
      SmallVector<int64_t> taken = {row, row + 1, kLanes + row, kLanes + row + 1};
      parts.push_back(b.create<vector::ShuffleOp>(cell[i], cell[i + 1], taken));
    }
    sums.push_back(joinLanes(b, parts));
  }
  return sums;
}

} // namespace convoy::kernels
