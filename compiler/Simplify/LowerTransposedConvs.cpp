// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers transposed convolutions to ordinary convolutions. Along an axis with stride s, the results
// with the same remainder modulo s read the same taps. They form a phase, and a phase is a
// convolution with stride 1 and reversed taps:
//
//     kernel a b c d, stride 2      y[2q]     = a x[q] + c x[q - 1]      phase 0: taps (c a)
//                                   y[2q + 1] = b x[q] + d x[q - 1]      phase 1: taps (d b)
//
// Phases with the same taps and pads are output channels of one convolution. A phase without taps
// is the bias. A reshape, a transpose and a second reshape then interleave the phases. No
// convolution multiplies inserted zeros, because zero times infinity is NaN.

#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "Simplify/PhaseEpilogue.h"
#include "Simplify/StaticType.h"
#include "Simplify/TransposedPhases.h"
#include "mlir/IR/IRMapping.h"
#include <cstring>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_LOWERTRANSPOSEDCONVSPASS
#include "Simplify/Passes.h.inc"

namespace {

/// The most phases of an op with computed weights, which have one slice per phase.
constexpr int64_t kMostComputedPhases = 64;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Constant weights, as they are or as integers with scales, or computed weights.
struct Weights {
  std::optional<Tensor> values;  // nullopt if the weights are computed
  DequantizeLinearOp dequantize; // null if the weights are not quantized
  std::optional<Tensor> scale, zero;
};

Weights weightsOf(ConvTransposeOp conv) {
  if (std::optional<Tensor> values = constantValue(conv.getWeight())) {
    return {values, {}, {}, {}};
  }
  auto source = conv.getWeight().getDefiningOp<DequantizeLinearOp>();
  std::optional<Tensor> values = source ? constantValue(source.getInput()) : std::nullopt;
  std::optional<Tensor> scale = source ? constantValue(source.getScale()) : std::nullopt;
  std::optional<Tensor> zero = source ? constantValue(source.getZeroPoint()) : std::nullopt;
  bool isKnown = values && scale && (zero || !source.getZeroPoint()) &&
                 source.getBlockSize() == 0 && (scale->size() == 1 || source.getAxis() == 1);
  return isKnown ? Weights{values, source, scale, zero} : Weights();
}

/// Returns the entries of a vector at the indices.
Tensor gathered(const Tensor &vector, ArrayRef<int64_t> indices) {
  Tensor result(vector.type(), {static_cast<int64_t>(indices.size())});
  size_t step = storageBytes(vector.type());
  char *to = result.mutableData<char>();
  for (auto [i, index] : llvm::enumerate(indices)) {
    std::memcpy(to + i * step, static_cast<const char *>(vector.raw()) + index * step, step);
  }
  return result;
}

/// Replaces one transposed convolution and its epilogue.
class Lowering {
public:
  Lowering(ConvTransposeOp conv, Weights weights, TransposedPhases phases)
      : conv(conv), weights(std::move(weights)), phases(std::move(phases)),
        epilogue(findPhaseEpilogue(conv)),
        last(epilogue.empty() ? conv.getOperation() : epilogue.back()), builder(last) {}

  /// Returns whether all types could be inferred.
  bool run() {
    SmallVector<Value> results;
    SmallVector<int64_t> constants; // channels of adjacent boxes without taps
    for (auto [i, box] : llvm::enumerate(phases.boxes)) {
      SmallVector<int64_t> channels = channelsOf(box);
      if (!phases.isEmpty(box)) {
        results.push_back(withEpilogue(convolution(box, channels), channels));
        continue;
      }
      llvm::append_range(constants, channels);
      if (i + 1 == phases.boxes.size() || !phases.isEmpty(phases.boxes[i + 1])) {
        results.push_back(withoutTaps(constants));
        constants.clear();
      }
    }
    last->getResult(0).replaceAllUsesWith(interleaved(results));
    for (Operation *op : llvm::reverse(epilogue)) {
      op->erase();
    }
    conv.erase();
    return !hasFailed;
  }

private:
  int64_t groups() { return static_cast<int64_t>(conv.getGroups()); }
  int64_t groupOutputs() { return staticType(conv.getWeight()).getDimSize(1); }

  /// Returns the channel of the transposed convolution for each output channel of a convolution:
  /// groups are outermost, then phases, then the channels of a group.
  SmallVector<int64_t> channelsOf(const PhaseBox &box) {
    SmallVector<int64_t> channels;
    for (int64_t group = 0; group < groups(); ++group) {
      for (int64_t phase = 0; phase < box.count(); ++phase) {
        for (int64_t o = 0; o < groupOutputs(); ++o) {
          channels.push_back(group * groupOutputs() + o);
        }
      }
    }
    return channels;
  }

  Value convolution(const PhaseBox &box, ArrayRef<int64_t> channels) {
    TypedBuilder b(builder, conv.getLoc());
    Value input = conv.getInput();
    SmallVector<int64_t> begins, ends, dilations;
    for (auto [i, axis] : llvm::enumerate(phases.axes)) {
      AxisWindow window = axis.windowOf(axis.phases[box.first[i]]);
      begins.push_back(std::max<int64_t>(window.padBegin, 0));
      ends.push_back(std::max<int64_t>(window.padEnd, 0));
      dilations.push_back(axis.dilation);
      if (window.padBegin < 0 || window.padEnd < 0) {
        input = b.slice(input, static_cast<int64_t>(i) + 2, std::max<int64_t>(-window.padBegin, 0),
                        axis.input - std::max<int64_t>(-window.padEnd, 0));
      }
    }
    begins.append(ends);
    SmallVector<int64_t> strides(dilations.size(), 1);
    Value result = b.emit<ConvOp>(input, weightOf(b, box, channels), biasOf(b, channels), strides,
                                  begins, dilations, groups());
    hasFailed |= b.hasFailed;
    return result;
  }

  /// Returns the bias of the channels, or null.
  Value biasOf(TypedBuilder &b, ArrayRef<int64_t> channels) {
    Value bias = conv.getBias();
    std::optional<Tensor> known = bias ? constantValue(bias) : std::nullopt;
    return known  ? b.constant(gathered(*known, channels))
           : bias ? b.emit<GatherOp>(bias, b.ints(channels), int64_t(0))
                  : Value();
  }

  /// Returns the results of phases that no tap reaches: the bias with the epilogue. The epilogue is
  /// evaluated once per channel.
  Value withoutTaps(ArrayRef<int64_t> channels) {
    TypedBuilder b(builder, conv.getLoc());
    SmallVector<int64_t> shape(phases.axes.size() + 2, 1);
    shape[1] = static_cast<int64_t>(channels.size());
    Value bias = biasOf(b, channels);
    Value result = withEpilogue(bias ? b.reshape(bias, shape)
                                     : b.constant(Tensor(b.element(conv.getResult()), shape)),
                                channels);
    shape[0] = shapeOf(conv.getResult())[0];
    for (auto [i, axis] : llvm::enumerate(phases.axes)) {
      shape[i + 2] = axis.positions;
    }
    result = b.emit<ExpandOp>(result, b.ints(shape));
    hasFailed |= b.hasFailed;
    return result;
  }

  /// Returns computed weights of a convolution: a slice per phase with the taps reversed, then
  /// groups * inputs x phases * outputs as groups * phases * outputs x inputs.
  Value computedWeightOf(TypedBuilder &b, const PhaseBox &box) {
    ArrayRef<int64_t> whole = shapeOf(conv.getWeight());
    SmallVector<Value> parts;
    SmallVector<int64_t> taps;
    for (int64_t phase = 0; phase < box.count(); ++phase) {
      SmallVector<int64_t> starts, ends, dims, steps;
      taps.clear();
      for (auto [i, axis] : llvm::enumerate(phases.axes)) {
        const AxisPhase &own = phases.phaseOf(box, i, phase);
        starts.push_back(own.firstTap + axis.step * (own.taps - 1));
        ends.push_back(own.firstTap - 1 - whole[i + 2]); // from the end of the kernel
        dims.push_back(static_cast<int64_t>(i) + 2);
        steps.push_back(-axis.step);
        taps.push_back(own.taps);
      }
      Value part = b.emit<SliceOp>(conv.getWeight(), b.ints(starts), b.ints(ends), b.ints(dims),
                                   b.ints(steps));
      SmallVector<int64_t> apart = {groups(), whole[0] / groups(), 1, whole[1]};
      apart.append(taps);
      parts.push_back(b.reshape(part, apart));
    }
    SmallVector<int64_t> perm = {0, 2, 3, 1};
    for (size_t i = 0; i < taps.size(); ++i) {
      perm.push_back(static_cast<int64_t>(i) + 4);
    }
    SmallVector<int64_t> shape = {groups() * box.count() * whole[1], whole[0] / groups()};
    shape.append(taps);
    return b.reshape(b.transpose(b.concat(parts, 2), perm), shape);
  }

  /// Returns the weights of a convolution as a constant, as a dequantized constant, or computed.
  Value weightOf(TypedBuilder &b, const PhaseBox &box, ArrayRef<int64_t> channels) {
    if (!weights.values) {
      return computedWeightOf(b, box);
    }
    Value values = b.constant(phases.weightsOf(*weights.values, box, groups()));
    if (!weights.dequantize) {
      return values;
    }
    // The groups share one scale per channel of a group.
    SmallVector<int64_t> ownChannels;
    for (int64_t channel : channels) {
      ownChannels.push_back(channel % groupOutputs());
    }
    auto perChannel = [&](const Tensor &tensor) {
      // One element may be a vector, for one channel per group.
      return b.constant(tensor.size() == 1 ? tensor.reshaped({}) : gathered(tensor, ownChannels));
    };
    return b.emit<DequantizeLinearOp>(values, perChannel(*weights.scale),
                                      weights.zero ? perChannel(*weights.zero) : Value(),
                                      weights.dequantize.getTo(), int64_t(0), int64_t(0));
  }

  Value withEpilogue(Value result, ArrayRef<int64_t> channels) {
    IRMapping mapping;
    mapping.map(conv.getResult(), result);
    for (Operation *op : epilogue) {
      TypedBuilder b(builder, op->getLoc());
      Operation *copy = builder.clone(*op);
      for (OpOperand &operand : copy->getOpOperands()) {
        operand.set(mapping.contains(operand.get()) ? mapping.lookup(operand.get())
                                                    : perChannel(b, operand.get(), channels));
      }
      copy->getResult(0).setType(b.placeholder());
      // The constants of the epilogue must precede the copy.
      copy->moveBefore(last);
      mapping.map(op->getResult(0), b.infer(copy)->getResult(0));
      hasFailed |= b.hasFailed;
    }
    return mapping.lookup(last->getResult(0));
  }

  /// Returns a constant of the epilogue with one entry per channel of a convolution.
  static Value perChannel(TypedBuilder &b, Value value, ArrayRef<int64_t> channels) {
    if (staticType(value).getNumElements() == 1) {
      return value;
    }
    SmallVector<int64_t> shape(staticType(value).getShape());
    for (int64_t &dim : shape) {
      dim = dim == 1 ? 1 : static_cast<int64_t>(channels.size());
    }
    return b.constant(gathered(*constantValue(value), channels).reshaped(shape));
  }

  /// Interleaves the phases: N x groups x strides x channels x positions becomes N x groups x
  /// channels, then positions and stride of each axis. Removes the surplus at both ends.
  Value interleaved(ArrayRef<Value> results) {
    TypedBuilder b(builder, last->getLoc());
    Value result = b.concat(results, 1);
    ArrayRef<int64_t> whole = shapeOf(last->getResult(0));
    int64_t rank = static_cast<int64_t>(phases.axes.size());
    if (llvm::any_of(phases.axes, [](const PhaseAxis &axis) { return axis.stride() > 1; })) {
      // Several convolutions compute one phase each if there are groups, so the channels are whole.
      int64_t outer = phases.boxes.size() == 1 ? groups() : 1;
      SmallVector<int64_t> apart = {whole[0], outer}, joined = {whole[0], whole[1]};
      SmallVector<int64_t> perm = {0, 1, rank + 2};
      for (auto [i, axis] : llvm::enumerate(phases.axes)) {
        apart.push_back(axis.stride());
        llvm::append_values(perm, rank + 3 + static_cast<int64_t>(i), 2 + static_cast<int64_t>(i));
        joined.push_back(axis.positions * axis.stride());
      }
      apart.push_back(whole[1] / outer);
      for (const PhaseAxis &axis : phases.axes) {
        apart.push_back(axis.positions);
      }
      result = b.reshape(b.transpose(b.reshape(result, apart), perm), joined);
    }
    for (auto [i, axis] : llvm::enumerate(phases.axes)) {
      int64_t dim = static_cast<int64_t>(i) + 2;
      if (shapeOf(result)[dim] != whole[dim]) {
        result = b.slice(result, dim, axis.surplus, axis.surplus + whole[dim]);
      }
    }
    hasFailed |= b.hasFailed;
    return result;
  }

  ConvTransposeOp conv;
  Weights weights;
  TransposedPhases phases;
  SmallVector<Operation *> epilogue;
  Operation *last; // the last op of the epilogue, or the transposed convolution
  OpBuilder builder;
  bool hasFailed = false;
};

struct LowerTransposedConvs : impl::LowerTransposedConvsPassBase<LowerTransposedConvs> {
  void runOnOperation() override {
    SmallVector<ConvTransposeOp> convs;
    getOperation().walk([&](ConvTransposeOp conv) { convs.push_back(conv); });
    for (ConvTransposeOp conv : convs) {
      if (!hasElements(conv.getInput()) || !hasElements(conv.getWeight()) ||
          !hasElements(conv.getResult())) {
        continue;
      }
      Weights weights = weightsOf(conv);
      std::optional<TransposedPhases> phases = TransposedPhases::of(conv);
      if (!phases || (!weights.values && !areFew(*phases))) {
        continue;
      }
      ++loweredConvs;
      if (!Lowering(conv, weights, *phases).run()) {
        return signalPassFailure();
      }
    }
  }

private:
  static bool hasElements(Value value) {
    RankedTensorType type = staticType(value);
    return type && type.getNumElements() > 0;
  }

  /// Returns whether computed weights have few slices.
  static bool areFew(const TransposedPhases &phases) {
    int64_t count = 0;
    for (const PhaseBox &box : phases.boxes) {
      count += phases.isEmpty(box) ? 0 : box.count();
    }
    return count <= kMostComputedPhases;
  }
};

} // namespace
} // namespace convoy::simplify
