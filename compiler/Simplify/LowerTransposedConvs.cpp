// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers transposed convolutions with constant weights to ordinary convolutions. Along an axis with
// stride s, the results with the same remainder modulo s read the same taps. They form a phase, and
// a phase is a convolution with stride 1 and reversed taps:
//
//     kernel a b c d, stride 2      y[2q]     = a x[q] + c x[q - 1]      phase 0: taps (c a)
//                                   y[2q + 1] = b x[q] + d x[q - 1]      phase 1: taps (d b)
//
// Phases with the same taps and pads are output channels of one convolution. A reshape, a transpose
// and a second reshape then interleave the phases. No convolution multiplies inserted zeros.

#include "Graph/OpFacts.h"
#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "Simplify/StaticType.h"
#include "Simplify/TransposedPhases.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include <cstring>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_LOWERTRANSPOSEDCONVSPASS
#include "Simplify/Passes.h.inc"

namespace {

/// Bounds the search for readers that meet.
constexpr size_t kMostJoinedReaders = 32;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Constant weights, as they are or as integers with scales.
struct Weights {
  Tensor values;
  DequantizeLinearOp dequantize; // null if the weights are not quantized
  std::optional<Tensor> scale, zero;
};

std::optional<Weights> weightsOf(ConvTransposeOp conv) {
  if (std::optional<Tensor> values = constantValue(conv.getWeight())) {
    return Weights{*values, {}, {}, {}};
  }
  auto source = conv.getWeight().getDefiningOp<DequantizeLinearOp>();
  std::optional<Tensor> values = source ? constantValue(source.getInput()) : std::nullopt;
  std::optional<Tensor> scale = source ? constantValue(source.getScale()) : std::nullopt;
  std::optional<Tensor> zero = source ? constantValue(source.getZeroPoint()) : std::nullopt;
  bool isKnown = values && scale && (zero || !source.getZeroPoint()) &&
                 source.getBlockSize() == 0 && (scale->size() == 1 || source.getAxis() == 1);
  return isKnown ? std::optional(Weights{*values, source, scale, zero}) : std::nullopt;
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

/// Returns whether each element of the result depends on one element of each operand.
bool isElementwise(Operation *op) {
  auto quantize = dyn_cast<QuantizeLinearOp>(op);
  bool quantizesAll = quantize && quantize.getBlockSize() == 0 &&
                      cast<ShapedType>(quantize.getScale().getType()).getRank() == 0;
  return quantizesAll ||
         (collapsesDimensions(op) && !isa<ConstantOp, BitcastOp>(op) && op->getNumResults() == 1);
}

/// Returns whether a constant has one element, or one element per channel of a tensor with this
/// rank.
bool isScalarOrChannels(Value value, int64_t rank, int64_t channels) {
  RankedTensorType type = staticType(value);
  if (!type || !constantValue(value)) {
    return false;
  }
  int64_t missing = rank - type.getRank();
  bool isVector = missing >= 0 && missing <= 1 && type.getDimSize(1 - missing) == channels &&
                  type.getNumElements() == channels;
  return type.getNumElements() == 1 || isVector;
}

/// Finds the element-wise ops after a transposed convolution that can run before the interleave.
class EpilogueFinder {
public:
  explicit EpilogueFinder(ConvTransposeOp conv) : conv(conv) { known.insert(conv.getResult()); }

  SmallVector<Operation *> find() {
    Value last = conv.getResult();
    while (true) {
      SmallVector<Operation *> ops = joinedReaders(last);
      if (ops.empty()) {
        return epilogue;
      }
      llvm::append_range(epilogue, ops);
      last = ops.back()->getResult(0);
    }
  }

private:
  /// Returns element-wise ops in block order such that only the last one has readers outside, as in
  /// x * sigmoid(x).
  SmallVector<Operation *> joinedReaders(Value result) {
    auto isEarlier = [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); };
    SmallVector<Operation *> ops;
    llvm::SmallSetVector<Operation *, 4> open;
    do {
      for (Operation *reader : result.getUsers()) {
        if (reader->getBlock() != conv->getBlock()) {
          return {};
        }
        open.insert(reader);
      }
      if (open.empty() || ops.size() == kMostJoinedReaders) {
        return {};
      }
      ops.push_back(*std::min_element(open.begin(), open.end(), isEarlier));
      open.remove(ops.back());
      if (!readsPhases(ops.back())) {
        return {};
      }
      result = ops.back()->getResult(0);
      known.insert(result);
    } while (!open.empty());
    return ops;
  }

  /// Returns whether an element-wise op reads only known values, and constants with one element or
  /// one element per channel.
  bool readsPhases(Operation *op) {
    ArrayRef<int64_t> shape = shapeOf(conv.getResult());
    return isElementwise(op) && staticType(op->getResult(0)) &&
           shapeOf(op->getResult(0)) == shape &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return known.contains(operand) ||
                    isScalarOrChannels(operand, static_cast<int64_t>(shape.size()), shape[1]);
           });
  }

  ConvTransposeOp conv;
  SmallVector<Operation *> epilogue;
  llvm::SmallPtrSet<Value, 8> known;
};

/// Replaces one transposed convolution and its epilogue.
class Lowering {
public:
  Lowering(ConvTransposeOp conv, Weights weights, TransposedPhases phases)
      : conv(conv), weights(std::move(weights)), phases(std::move(phases)),
        epilogue(EpilogueFinder(conv).find()),
        last(epilogue.empty() ? conv.getOperation() : epilogue.back()), builder(last) {}

  /// Returns whether all types could be inferred.
  bool run() {
    SmallVector<Value> results;
    for (const PhaseBox &box : phases.boxes) {
      SmallVector<int64_t> channels = channelsOf(box);
      results.push_back(withEpilogue(convolution(box, channels), channels));
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
  int64_t groupOutputs() const { return weights.values.dim(1); }

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
    Value bias;
    if (conv.getBias()) {
      bias = b.constant(gathered(*constantValue(conv.getBias()), channels));
    }
    SmallVector<int64_t> strides(dilations.size(), 1);
    Value result = b.emit<ConvOp>(input, weightOf(b, box, channels), bias, strides, begins,
                                  dilations, groups());
    hasFailed |= b.hasFailed;
    return result;
  }

  /// Returns the weights of a convolution as a constant or as a dequantized constant.
  Value weightOf(TypedBuilder &b, const PhaseBox &box, ArrayRef<int64_t> channels) {
    Value values = b.constant(phases.weightsOf(weights.values, box, groups()));
    if (!weights.dequantize) {
      return values;
    }
    // The groups share one scale per channel of a group.
    SmallVector<int64_t> ownChannels;
    for (int64_t channel : channels) {
      ownChannels.push_back(channel % groupOutputs());
    }
    auto perChannel = [&](const Tensor &tensor) {
      return b.constant(weights.scale->size() == 1 ? tensor : gathered(tensor, ownChannels));
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
      int64_t outer = results.size() == 1 ? groups() : 1;
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
      std::optional<Weights> weights = weightsOf(conv);
      if (!weights || !staticType(conv.getInput()) || !staticType(conv.getResult()) ||
          staticType(conv.getInput()).getNumElements() == 0 || weights->values.isEmpty() ||
          (conv.getBias() && !constantValue(conv.getBias()))) {
        continue;
      }
      if (std::optional<TransposedPhases> phases = TransposedPhases::of(conv)) {
        ++loweredConvs;
        if (!Lowering(conv, *weights, *phases).run()) {
          return signalPassFailure();
        }
      }
    }
  }
};

} // namespace
} // namespace convoy::simplify
