// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the rules of region inference, one per op family.
//
//   outputs  first .. first + count - 1
//   taps     first * stride - pad .. (first + count - 1) * stride - pad
//                                    + (kernel - 1) * dilation
//   reads    the taps inside [0, extent); the other taps are padding

#include "Graph/RegionInference.h"

#include "Graph/Graph.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::graph {

WindowReads readsOfWindow(const SlidingWindow &window, IndexRange outputs, int64_t extent) {
  WindowReads reads;
  if (outputs.count <= 0) {
    return reads;
  }
  int64_t begin = outputs.first * window.stride - window.padBefore;
  int64_t end = (outputs.first + outputs.count - 1) * window.stride - window.padBefore +
                (window.kernel - 1) * window.dilation + 1;
  int64_t first = std::clamp<int64_t>(begin, 0, extent);
  int64_t last = std::clamp<int64_t>(end, first, extent);
  reads.range = {first, last - first};
  reads.padBefore = first - begin;
  reads.padAfter = end - last;
  return reads;
}

Region wholeOf(Value value) {
  Region region;
  for (int64_t dim : cast<RankedTensorType>(value.getType()).getShape()) {
    region.push_back({0, dim});
  }
  return region;
}

/// Sets the spatial dimensions of a window op; the caller sets batch and
/// channels.
static void readSpatial(Region &region, ArrayRef<IndexRange> result, ArrayRef<int64_t> kernel,
                        ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                        ArrayRef<int64_t> pads) {
  for (size_t i = 0; i < kernel.size(); ++i) {
    SlidingWindow window{kernel[i], strides[i], dilations[i], pads[i]};
    region[i + 2] = readsOfWindow(window, result[i + 2], region[i + 2].count).range;
  }
}

/// Returns the region of the input, weights or bias of a convolution. Channels
/// are read in whole groups.
template <typename ConvT>
static Region readConv(ConvT conv, unsigned operand, ArrayRef<IndexRange> result) {
  Region region = wholeOf(conv->getOperand(operand));
  if (operand > 0) {
    region[0] = result[1];
    return region;
  }
  ArrayRef<int64_t> weight = cast<RankedTensorType>(conv.getWeight().getType()).getShape();
  int64_t outputs = weight[0] / static_cast<int64_t>(conv.getGroups());
  if (result[1].count > 0) {
    int64_t firstGroup = result[1].first / outputs;
    int64_t lastGroup = (result[1].first + result[1].count - 1) / outputs;
    region[1] = {firstGroup * weight[1], (lastGroup - firstGroup + 1) * weight[1]};
  }
  region[0] = result[0];
  readSpatial(region, result, weight.drop_front(2), conv.getStrides(), conv.getDilations(),
              conv.getPads());
  return region;
}

template <typename PoolT>
static Region readPool(PoolT pool, ArrayRef<IndexRange> result) {
  Region region = wholeOf(pool.getInput());
  region[0] = result[0];
  region[1] = result[1];
  readSpatial(region, result, pool.getKernel(), pool.getStrides(), pool.getDilations(),
              pool.getPads());
  return region;
}

/// Returns the region of a broadcast operand. Dimensions align from the last; a
/// dimension of size 1 is read for every index.
static Region readBroadcast(Value operand, ArrayRef<IndexRange> result) {
  Region region = wholeOf(operand);
  size_t missing = result.size() - region.size();
  for (size_t i = 0; i < region.size(); ++i) {
    if (region[i].count != 1 || result[i + missing].count == 0) {
      region[i] = result[i + missing];
    }
  }
  return region;
}

static Region readTranspose(TransposeOp transpose, ArrayRef<IndexRange> result) {
  Region region(result.size());
  for (auto [i, from] : llvm::enumerate(transpose.getPerm())) {
    region[from] = result[i];
  }
  return region;
}

static Region readConcat(ConcatOp concat, unsigned operand, ArrayRef<IndexRange> result) {
  auto axis = static_cast<size_t>(concat.getAxis());
  int64_t start = 0;
  for (unsigned i = 0; i < operand; ++i) {
    start += wholeOf(concat.getInputs()[i])[axis].count;
  }
  Region region(result.begin(), result.end());
  int64_t extent = wholeOf(concat.getInputs()[operand])[axis].count;
  int64_t first = std::clamp<int64_t>(result[axis].first - start, 0, extent);
  int64_t last =
      std::clamp<int64_t>(result[axis].first + result[axis].count - start, first, extent);
  region[axis] = {first, last - first};
  return region;
}

Region inferOperandRegion(Operation *op, unsigned operand, ArrayRef<IndexRange> result) {
  Value value = op->getOperand(operand);
  return llvm::TypeSwitch<Operation *, Region>(op)
      .Case<ConvOp, IntegerConvOp>([&](auto conv) { return readConv(conv, operand, result); })
      .Case<MaxPoolOp, AveragePoolOp, LpPoolOp, IntegerSumPoolOp>(
          [&](auto pool) { return readPool(pool, result); })
      .Case([&](TransposeOp transpose) { return readTranspose(transpose, result); })
      .Case([&](ConcatOp concat) { return readConcat(concat, operand, result); })
      // Multipliers and shifts are scalars or vectors along one axis.
      .Case([&](RequantizeOp) {
        return operand == 0 ? readBroadcast(value, result) : wholeOf(value);
      })
      .Case<UnaryOp, ActivationOp, BinaryOp, SelectOp, CastOp, IntegerAddOp, IntegerMulOp>(
          [&](auto) { return readBroadcast(value, result); })
      .Default([&](Operation *) { return wholeOf(value); });
}

} // namespace convoy::graph
