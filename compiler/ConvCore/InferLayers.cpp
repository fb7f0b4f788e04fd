// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of the convcore ops that compute. Shapes are static, so all sizes are known.

#include "ConvCore/ConvCore.h"
#include "Graph/InferInteger.h"
#include "Graph/RuleChecks.h"

using namespace mlir;

namespace convoy::convcore {
namespace {

using graph::TypeInference;

// Upper bound of sizes and window attributes; sums and products of two such values fit in 64 bits.
constexpr int64_t kMaxExtent = int64_t(1) << 31;

bool isIntegerOfBits(Type type, int64_t least, int64_t most) {
  ElementType element = fromMlir(type);
  return isInteger(element) && bitWidth(element) >= least && bitWidth(element) <= most;
}

Type i32(MLIRContext *context) { return IntegerType::get(context, 32); }

bool isFloatType(Type type) { return isFloat(fromMlir(type)); }

/// Emits an error unless there are `count` values and all are in [least, kMaxExtent].
LogicalResult expectExtents(TypeInference &inference, ArrayRef<int64_t> values, size_t count,
                            int64_t least, StringRef what) {
  if (values.size() != count) {
    return inference.error() << "expects " << count << " " << what << ", got " << values.size();
  }
  for (int64_t value : values) {
    if (value < least || value > kMaxExtent) {
      return inference.error() << "expects " << what << " in [" << least << ", " << kMaxExtent
                               << "], got " << value;
    }
  }
  return success();
}

struct Windows {
  ArrayRef<int64_t> kernel, strides, pads, dilations;
};

/// [conv.1], [pool.1]; computes the height and width of the result.
LogicalResult slideWindows(TypeInference &inference, const Windows &windows, Value input,
                           Shape &result) {
  if (failed(graph::expectRank(inference, input, 4, "an input")) ||
      failed(expectExtents(inference, windows.kernel, 2, 1, "kernel sizes")) ||
      failed(expectExtents(inference, windows.strides, 2, 1, "strides")) ||
      failed(expectExtents(inference, windows.dilations, 2, 1, "dilations")) ||
      failed(expectExtents(inference, windows.pads, 4, 0, "pads"))) {
    return failure();
  }
  Shape shape = inference.shape(input);
  for (size_t i = 0; i < 2; ++i) {
    int64_t extent = (windows.kernel[i] - 1) * windows.dilations[i] + 1;
    int64_t slack = shape[i + 2] + windows.pads[i] + windows.pads[i + 2] - extent;
    if (slack < 0) {
      return inference.error() << "expects a padded input that holds one window of " << extent
                               << ", got " << shape[i + 2] << " elements + " << windows.pads[i]
                               << " + " << windows.pads[i + 2] << " padding";
    }
    result.push_back(slack / windows.strides[i] + 1);
  }
  return success();
}

/// [conv.5]: expects a list with one entry or one per channel.
LogicalResult expectPerChannel(TypeInference &inference, size_t count, int64_t channels,
                               StringRef what) {
  if (count == 1 || count == static_cast<size_t>(channels)) {
    return success();
  }
  return inference.error() << "expects one " << what << " or " << channels
                           << ", one per channel, got " << count;
}

LogicalResult expectOneMultiplier(TypeInference &inference, RequantAttr requant) {
  if (requant && requant.getMultipliers().size() != 1) {
    return inference.error() << "expects a requantization with one multiplier, got "
                             << requant.getMultipliers().size();
  }
  return success();
}

/// [conv.3] and [conv.4]; computes the element type of the result.
LogicalResult checkConvTypes(TypeInference &inference, ConvOp op, Type &element) {
  Type input = inference.elementType(op.getInput());
  Type weight = inference.elementType(op.getWeight());
  if (isFloatType(input)) {
    element = input;
    if (op.getRequant() || op.getInputZeroPoint() != 0 || op.getWeightZeroPoint() != 0) {
      return inference.error() << "expects no requantization and no zero points with " << input;
    }
    return failure(
        failed(graph::expectElementsLike(inference, op.getWeight(), op.getInput(), "weights")) ||
        failed(graph::expectElementsLike(inference, op.getBias(), op.getInput(), "a bias")));
  }
  if (!isIntegerOfBits(input, 8, 16) || !isIntegerOfBits(weight, 8, 16)) {
    return inference.error() << "expects input and weights to be floats or integers of 8 or 16 "
                                "bits, got "
                             << input << " and " << weight;
  }
  bool hasOtherBias = op.getBias() && !inference.elementType(op.getBias()).isSignlessInteger(32);
  if (hasOtherBias || op.getActivation()) {
    return inference.error() << "expects a bias of i32 and no activation with integers; use the "
                                "bounds of the requantization";
  }
  element = op.getRequantAttr() ? op.getRequantAttr().getType() : i32(op.getContext());
  return success();
}

/// [conv.2] and [conv.5].
LogicalResult checkConvChannels(TypeInference &inference, ConvOp op, int64_t inputs,
                                ArrayRef<int64_t> weight) {
  int64_t groups = op.getGroups();
  bool hasGroups = groups >= 1 && inputs == weight[1] * groups && weight[0] % groups == 0;
  if (!hasGroups) {
    return inference.error() << "expects " << weight[1] << " x " << groups
                             << " input channels (weights x groups) and output channels that are "
                                "a multiple of the groups, got "
                             << inputs << " and " << weight[0];
  }
  RequantAttr requant = op.getRequantAttr();
  if (requant && failed(expectPerChannel(inference, requant.getMultipliers().size(), weight[0],
                                         "multiplier"))) {
    return failure();
  }
  return graph::expectVector(inference, op.getBias(), weight[0], "the bias");
}

/// Emits an error unless the input has a float type and a channel dimension, and `values` has the
/// same type and one entry per channel.
LogicalResult checkChannelVector(TypeInference &inference, Value input, Value values,
                                 StringRef what) {
  if (failed(graph::expectFloats(inference, input, "an input"))) {
    return failure();
  }
  Shape shape = inference.shape(input);
  if (shape.size() < 2) {
    return inference.error() << "expects an input with a channel dimension, got "
                             << inference.type(input);
  }
  return failure(failed(graph::expectElementsLike(inference, values, input, what)) ||
                 failed(graph::expectVector(inference, values, shape[1], what)));
}

} // namespace

LogicalResult ConvOp::inferTypes(TypeInference &inference) {
  Type element;
  if (failed(graph::expectRank(inference, getWeight(), 4, "weights"))) {
    return failure();
  }
  Shape weight = inference.shape(getWeight());
  Shape result;
  Windows windows{ArrayRef(weight).drop_front(2), getStrides(), getPads(), getDilations()};
  if (failed(slideWindows(inference, windows, getInput(), result)) ||
      failed(checkConvTypes(inference, *this, element))) {
    return failure();
  }
  Shape input = inference.shape(getInput());
  if (failed(checkConvChannels(inference, *this, input[1], weight))) {
    return failure();
  }
  inference.set(0, element, {input[0], weight[0], result[0], result[1]});
  return success();
}

/// [eltwise.1]
static bool isEltwiseShape(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  bool isOne = llvm::all_of(rhs, [](int64_t size) { return size == 1; });
  bool isChannels = lhs.size() == 4 && rhs.size() == 4 && rhs[0] == 1 && rhs[1] == lhs[1] &&
                    rhs[2] == 1 && rhs[3] == 1;
  return lhs == rhs || isOne || isChannels;
}

LogicalResult EltwiseOp::inferTypes(TypeInference &inference) {
  Shape lhs = inference.shape(getLhs());
  if (!isEltwiseShape(lhs, inference.shape(getRhs()))) {
    return inference.error() << "expects a right operand of the shape of "
                             << inference.type(getLhs())
                             << ", of one element per channel or of one element, got "
                             << inference.type(getRhs());
  }
  Type element = inference.elementType(getLhs());
  Type other = inference.elementType(getRhs());
  for (uint64_t bits : {getLhsMultiplier(), getRhsMultiplier()}) { // [eltwise.4]
    auto multiplier = static_cast<int64_t>(bits);
    if (multiplier == 0 || multiplier <= -kMaxExtent || multiplier >= kMaxExtent) {
      return inference.error() << "expects multipliers below 2^31 in magnitude and not 0, got "
                               << multiplier;
    }
  }
  if (isFloatType(element)) { // [eltwise.2]
    bool isPlain = getLhsZeroPoint() == 0 && getRhsZeroPoint() == 0 && getLhsMultiplier() == 1 &&
                   getRhsMultiplier() == 1 && getBias() == 0 && !getRequant() && other == element;
    if (!isPlain) {
      return inference.error() << "expects two tensors of " << element
                               << " without zero points, multipliers, bias and requantization";
    }
    inference.set(0, element, lhs);
    return success();
  }
  bool isNarrow = isIntegerOfBits(element, 8, 16) && isIntegerOfBits(other, 8, 16);
  if (!isNarrow || getActivation()) { // [eltwise.3]
    return inference.error() << "expects floats, or integers of 8 or 16 bits without an "
                                "activation, got "
                             << element << " and " << other;
  }
  inference.set(0, getRequant() ? getRequantAttr().getType() : i32(getContext()), lhs);
  return expectOneMultiplier(inference, getRequantAttr());
}

LogicalResult ScaleOp::inferTypes(TypeInference &inference) {
  inference.set(0, inference.type(getInput()));
  return failure(
      failed(checkChannelVector(inference, getInput(), getScale(), "the scale")) ||
      (getBias() && failed(checkChannelVector(inference, getInput(), getBias(), "the bias"))));
}

LogicalResult ActivationOp::inferTypes(TypeInference &inference) {
  inference.set(0, inference.type(getInput()));
  return graph::expectFloats(inference, getInput(), "an input"); // [activation.1]
}

LogicalResult PReluOp::inferTypes(TypeInference &inference) {
  inference.set(0, inference.type(getInput()));
  return checkChannelVector(inference, getInput(), getSlope(), "the slope"); // [prelu.1]
}

/// Returns whether every window along one dimension contains an element of the input.
static bool holdsInput(int64_t input, int64_t kernel, int64_t stride, int64_t pad,
                       int64_t positions) {
  return pad < kernel && (positions - 1) * stride - pad < input;
}

LogicalResult PoolOp::inferTypes(TypeInference &inference) {
  Shape result;
  int64_t ones[] = {1, 1};
  Windows windows{getKernel(), getStrides(), getPads(), ones};
  if (failed(graph::expectNumbers(inference, getInput(), "an input")) ||
      failed(slideWindows(inference, windows, getInput(), result))) {
    return failure();
  }
  Shape input = inference.shape(getInput());
  for (size_t i = 0; i < 2; ++i) {
    if (!holdsInput(input[i + 2], getKernel()[i], getStrides()[i], getPads()[i], result[i])) {
      return inference.error() << "expects each window to contain an element of the input; use "
                                  "smaller pads";
    }
  }
  Type element = inference.elementType(getInput());
  bool isMean = getKind() == PoolKind::Average;
  bool isIntegerMean = isMean && !isFloatType(element);
  if (isIntegerMean ? !getCountIncludePad() : getRequant().has_value()) { // [pool.2]
    return inference.error() << "expects countIncludePad for means of integers, and no "
                                "requantization for anything else";
  }
  if (getCountIncludePad() && !isMean) { // [pool.3]
    return inference.error() << "expects countIncludePad only for means";
  }
  if (getByAxis() && (!isIntegerMean || getRequant())) { // [pool.4]
    return inference.error() << "expects byAxis only for means of integers without requantization";
  }
  if (isIntegerMean && !getByAxis()) {
    element = getRequant() ? getRequantAttr().getType() : i32(getContext());
  }
  inference.set(0, element, {input[0], input[1], result[0], result[1]});
  return expectOneMultiplier(inference, getRequantAttr());
}

LogicalResult LrnOp::inferTypes(TypeInference &inference) {
  inference.set(0, inference.type(getInput()));
  int64_t size = getSize();
  if (size < 1 || size > kMaxExtent) {
    return inference.error() << "expects a size in [1, " << kMaxExtent << "], got " << size;
  }
  return failure(failed(graph::expectFloats(inference, getInput(), "an input")) ||
                 failed(graph::expectRank(inference, getInput(), 4, "an input")));
}

LogicalResult IntegerLrnOp::inferTypes(TypeInference &inference) {
  Type element = getRequant() ? getRequantAttr().getType() : i32(getContext());
  inference.set(0, element, inference.shape(getInput()));
  return failure(failed(graph::expectIntegers(inference, getInput(), {8}, "an input")) ||
                 failed(graph::expectRank(inference, getInput(), 4, "an input")) ||
                 failed(graph::expectNormalization(inference, {getNear(), getFar()},
                                                   graph::normalizationOf(*this))) ||
                 failed(expectOneMultiplier(inference, getRequantAttr())));
}

LogicalResult ByteLrnOp::inferTypes(TypeInference &inference) {
  inference.set(0, getRequant().getType(), inference.shape(getInput()));
  bool isOfBytes = isIntegerOfBits(inference.elementType(getInput()), 8, 8) &&
                   inference.elementType(getInput()).isSignlessInteger();
  for (Value table : {getSquares(), getFactors()}) {
    isOfBytes &= inference.elementType(table).isUnsignedInteger(8);
    if (failed(graph::expectVector(inference, table, 256, "a table"))) {
      return failure();
    }
  }
  if (!isOfBytes) { // [byte_lrn.1]
    return inference.error() << "expects an input of i8 and tables of ui8, got "
                             << inference.type(getInput()) << ", " << inference.type(getSquares())
                             << " and " << inference.type(getFactors());
  }
  if (getSize() < 1 || getSize() > kMaxExtent || getSumMultiplier() > 255 || getSumShift() < 1 ||
      getSumShift() > 31) { // [byte_lrn.2]
    return inference.error()
           << "expects a positive size, sumMultiplier in [0, 255] and sumShift in "
              "[1, 31], got "
           << getSize() << ", " << getSumMultiplier() << " and " << getSumShift();
  }
  return failure(failed(graph::expectRank(inference, getInput(), 4, "an input")) ||
                 failed(expectOneMultiplier(inference, getRequantAttr())));
}

LogicalResult SoftmaxOp::inferTypes(TypeInference &inference) {
  inference.set(0, inference.type(getInput()));
  int64_t rank = inference.shape(getInput()).size();
  int64_t axis = getAxis();
  if (axis < 0 || axis >= rank) { // [softmax.1]
    return inference.error() << "expects an axis of " << inference.type(getInput()) << ", got "
                             << axis;
  }
  return graph::expectFloats(inference, getInput(), "an input");
}

LogicalResult LookupOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  if (!isIntegerOfBits(element, 8, 8)) { // [lookup.1]
    return inference.error() << "expects integers of 8 bits, got " << element;
  }
  inference.set(0, inference.elementType(getTable()), inference.shape(getInput()));
  return graph::expectVector(inference, getTable(), 256, "the table");
}

LogicalResult RequantizeOp::inferTypes(TypeInference &inference) {
  Shape shape = inference.shape(getInput());
  inference.set(0, getRequant().getType(), shape);
  Type element = inference.elementType(getInput());
  if (!isIntegerOfBits(element, 2, 32)) { // [requantize.1]
    return inference.error() << "expects integers of up to 32 bits, got " << element;
  }
  int64_t channels = shape.size() > 1 ? shape[1] : 1;
  return expectPerChannel(inference, getRequant().getMultipliers().size(), channels, "multiplier");
}

LogicalResult ConvertOp::inferTypes(TypeInference &inference) {
  inference.set(0, getTo(), inference.shape(getInput()));
  if (!isFloatType(getTo())) { // [convert.1]
    return inference.error() << "expects a float result type, got " << getTo();
  }
  return graph::expectFloats(inference, getInput(), "an input");
}

} // namespace convoy::convcore
