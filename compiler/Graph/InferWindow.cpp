// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of the ops of NN.td that slide a window: convolutions and pools.

#include "Graph/Graph.h"
#include "Graph/InferInteger.h"
#include "Graph/RuleChecks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::graph {
namespace {

// Window attributes are at most kMaxExtent and dimensions at most kMaxDim, so
// every sum and product of them fits int64: (2^31 - 1) * 2^31 + 2^48 < 2^63.
constexpr int64_t kMaxExtent = int64_t(1) << 31;
constexpr int64_t kMaxDim = int64_t(1) << 48;

// A dilated window that is wider than the input may contain no element of the
// input. The rule checks at most this many positions.
constexpr int64_t kMaxCheckedPositions = int64_t(1) << 20;

/// A window along one dimension.
struct Window {
  int64_t input;
  int64_t kernel;
  int64_t stride;
  int64_t dilation;
  int64_t padBegin;
  int64_t padEnd;

  int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

/// The window attributes of one op; `kernel` may contain unknown dimensions.
struct Windows {
  ArrayRef<int64_t> kernel;
  ArrayRef<int64_t> strides;
  ArrayRef<int64_t> pads;
  ArrayRef<int64_t> dilations;

  Window along(int64_t i, int64_t input) const {
    int64_t rank = strides.size();
    return {input, kernel[i], strides[i], dilations[i], pads[i], pads[i + rank]};
  }
};

LogicalResult expectCount(TypeInference &inference, ArrayRef<int64_t> values, int64_t count,
                          StringRef attribute) {
  if (values.size() == static_cast<size_t>(count)) {
    return success();
  }
  return inference.error() << "expects " << count << " " << attribute
                           << " for the spatial dimensions, got " << values.size();
}

/// Whether a size may be kDynamic. Only sizes that come from a shape may be
/// unknown; in an attribute the value of kDynamic is invalid.
enum class Unknown { IsAllowed, IsWrong };

LogicalResult expectPositive(TypeInference &inference, ArrayRef<int64_t> values,
                             StringRef attribute, Unknown unknown = Unknown::IsWrong) {
  for (int64_t value : values) {
    if (value == kDynamic && unknown == Unknown::IsAllowed) {
      continue;
    }
    if (value < 1 || value > kMaxExtent) {
      return inference.error() << "expects " << attribute << " in [1, " << kMaxExtent << "], got "
                               << value;
    }
  }
  return success();
}

LogicalResult expectPads(TypeInference &inference, ArrayRef<int64_t> pads, StringRef attribute,
                         int64_t lowest) {
  for (int64_t pad : pads) {
    if (pad < lowest || pad > kMaxExtent) {
      return inference.error() << "expects " << attribute << " in [" << lowest << ", " << kMaxExtent
                               << "], got " << pad;
    }
  }
  return success();
}

/// Checks counts and ranges ([conv.1], [max_pool.2]). `kernel` states whether
/// kernel sizes may be unknown.
LogicalResult checkWindows(TypeInference &inference, const Windows &windows, int64_t spatialRank,
                           int64_t lowestPad, Unknown kernel) {
  return failure(failed(expectCount(inference, windows.kernel, spatialRank, "kernel sizes")) ||
                 failed(expectCount(inference, windows.strides, spatialRank, "strides")) ||
                 failed(expectCount(inference, windows.dilations, spatialRank, "dilations")) ||
                 failed(expectCount(inference, windows.pads, 2 * spatialRank, "pads")) ||
                 failed(expectPositive(inference, windows.kernel, "kernel sizes", kernel)) ||
                 failed(expectPositive(inference, windows.strides, "strides")) ||
                 failed(expectPositive(inference, windows.dilations, "dilations")) ||
                 failed(expectPads(inference, windows.pads, "pads", lowestPad)));
}

LogicalResult checkDim(TypeInference &inference, int64_t dim) {
  if (dim <= kMaxDim) {
    return success();
  }
  return inference.error() << "expects dimensions of at most 2^48, got " << dim;
}

/// Returns the number of window positions in the padded input. With `ceilMode`,
/// the last window may extend beyond the end but must start before the end
/// padding.
FailureOr<int64_t> countPositions(TypeInference &inference, const Window &window, bool ceilMode) {
  if (window.input == kDynamic || window.kernel == kDynamic) {
    return kDynamic;
  }
  if (failed(checkDim(inference, window.input))) {
    return failure();
  }
  int64_t padded = window.input + window.padBegin + window.padEnd;
  int64_t room = padded - window.extent();
  if (room < 0) { // [conv.1]
    return FailureOr<int64_t>(inference.error()
                              << "expects a padded input at least as large as the window extent "
                              << window.extent() << ", got " << window.input << " elements + "
                              << window.padBegin << " + " << window.padEnd << " padding");
  }
  if (!ceilMode) {
    return room / window.stride + 1;
  }
  int64_t count = llvm::divideCeilSigned(room, window.stride) + 1;
  bool startsInPadding = (count - 1) * window.stride >= window.input + window.padBegin;
  return startsInPadding ? count - 1 : count;
}

/// Returns whether the window that starts `before` elements before the input
/// contains an element of the input.
bool reachesInput(const Window &window, int64_t before) {
  int64_t skipped = llvm::divideCeilSigned(before, window.dilation);
  return skipped < window.kernel && skipped * window.dilation - before < window.input;
}

/// Returns whether each of `count` windows contains an element of the input
/// ([max_pool.1]).
bool holdsInput(const Window &window, int64_t count) {
  if (count > 0 && (count - 1) * window.stride - window.padBegin >= window.input) {
    return false;
  }
  int64_t early = std::min(count, llvm::divideCeilSigned(window.padBegin, window.stride));
  if (window.padBegin < window.extent() && window.dilation <= window.input) {
    return true;
  }
  for (int64_t i = 0; i < early && i < kMaxCheckedPositions; ++i) {
    if (!reachesInput(window, window.padBegin - i * window.stride)) {
      return false;
    }
  }
  return early <= kMaxCheckedPositions;
}

/// Sets `input` and `weight` to shapes of the same rank. Leaves both empty if
/// neither rank is known.
LogicalResult findConvShapes(TypeInference &inference, Value inputValue, Value weightValue,
                             Shape &input, Shape &weight) {
  Value ranked = inference.hasRank(inputValue)    ? inputValue
                 : inference.hasRank(weightValue) ? weightValue
                                                  : Value();
  if (!ranked) {
    return success();
  }
  int64_t rank = inference.shape(ranked).size();
  if (rank < 3) {
    return inference.error() << "expects an input of rank 3 or more (batch, channels, spatial "
                                "dimensions), got "
                             << inference.type(ranked);
  }
  if (failed(expectRank(inference, weightValue, rank, "weights"))) {
    return failure();
  }
  input = shapeOrUnknown(inference, inputValue, rank);
  weight = shapeOrUnknown(inference, weightValue, rank);
  return success();
}

/// Checks the operands that conv, conv_transpose and deform_conv share, and
/// sets their shapes.
LogicalResult checkConvOperands(TypeInference &inference, Value inputValue, Value weightValue,
                                Value bias, Shape &input, Shape &weight) {
  if (failed(expectNumbers(inference, inputValue, "an input")) ||
      failed(expectElementsLike(inference, weightValue, inputValue, "weights")) ||
      failed(expectElementsLike(inference, bias, inputValue, "a bias"))) {
    return failure();
  }
  return findConvShapes(inference, inputValue, weightValue, input, weight);
}

LogicalResult checkGroups(TypeInference &inference, int64_t groups, StringRef name) {
  if (groups >= 1 && groups <= kMaxExtent) {
    return success();
  }
  return inference.error() << "expects " << name << " in [1, " << kMaxExtent << "], got " << groups;
}

/// Checks [conv.2], [conv.3] and the bias.
LogicalResult checkConvChannels(TypeInference &inference, ArrayRef<int64_t> input,
                                ArrayRef<int64_t> weight, int64_t groups, Value bias) {
  if (failed(checkGroups(inference, groups, "groups")) ||
      failed(expectVector(inference, bias, weight[0], "the bias"))) {
    return failure();
  }
  bool isKnown = input[1] != kDynamic && weight[1] != kDynamic;
  bool matches = input[1] % groups == 0 && input[1] / groups == weight[1];
  if (isKnown && !matches) { // [conv.2]
    InFlightDiagnostic diag = inference.error()
                              << "expects " << weight[1] << " x " << groups
                              << " input channels (dimension 1 of the weights x groups), got "
                              << input[1];
    diag.attachNote() << "ONNX weights have shape O x (I / groups) x spatial...";
    return diag;
  }
  if (weight[0] != kDynamic && weight[0] % groups != 0) { // [conv.3]
    return inference.error() << "expects the number of output channels to be a multiple of "
                             << groups << " groups, got " << weight[0];
  }
  return success();
}

/// Appends the number of window positions of each spatial dimension.
LogicalResult appendPositions(TypeInference &inference, const Windows &windows,
                              ArrayRef<int64_t> input, bool ceilMode, Shape &result) {
  for (size_t i = 0; i < windows.strides.size(); ++i) {
    FailureOr<int64_t> count = countPositions(inference, windows.along(i, input[i + 2]), ceilMode);
    if (failed(count)) {
      return failure();
    }
    result.push_back(*count);
  }
  return success();
}

/// Infers the result of a pool. Sets result 0, with the input's element type
/// unless another is given.
LogicalResult inferPool(TypeInference &inference, Value inputValue, const Windows &windows,
                        bool ceilMode, bool mustHoldInput, Type element = {}) {
  element = element ? element : inference.elementType(inputValue);
  if (!inference.hasRank(inputValue)) {
    inference.set(0, element, Shape(windows.kernel.size() + 2, kDynamic));
    return checkWindows(inference, windows, windows.kernel.size(), /*lowestPad=*/0,
                        Unknown::IsWrong);
  }
  Shape input = inference.shape(inputValue);
  if (input.size() < 3) {
    return inference.error() << "expects an input of rank 3 or more (batch, channels, spatial "
                                "dimensions), got "
                             << inference.type(inputValue);
  }
  Shape result = {input[0], input[1]};
  if (failed(
          checkWindows(inference, windows, input.size() - 2, /*lowestPad=*/0, Unknown::IsWrong)) ||
      failed(appendPositions(inference, windows, input, ceilMode, result))) {
    return failure();
  }
  for (size_t i = 2; i < input.size(); ++i) {
    bool isKnown = input[i] != kDynamic;
    if (mustHoldInput && isKnown && !holdsInput(windows.along(i - 2, input[i]), result[i])) {
      return inference.error() // [max_pool.1]
             << "expects each window to contain an element of the input, but along dimension " << i
             << " (" << input[i] << " elements) a window covers only padding; use smaller pads";
    }
  }
  inference.set(0, element, result);
  return success();
}

} // namespace

/// Infers the result of a convolution with weights O x (I / groups) x
/// spatial.... The caller has checked the element types.
template <typename OpT>
static LogicalResult inferConv(TypeInference &inference, OpT op, ArrayRef<int64_t> input,
                               ArrayRef<int64_t> weight, Type element) {
  if (input.empty()) {
    inference.setUnranked(0, element);
    return success();
  }
  Windows windows{weight.drop_front(2), op.getStrides(), op.getPads(), op.getDilations()};
  Shape result = {input[0], weight[0]};
  if (failed(checkWindows(inference, windows, input.size() - 2, -kMaxExtent, Unknown::IsAllowed)) ||
      failed(checkConvChannels(inference, input, weight, op.getGroups(), op.getBias())) ||
      failed(appendPositions(inference, windows, input, /*ceilMode=*/false, result))) {
    return failure();
  }
  inference.set(0, element, result);
  return success();
}

LogicalResult ConvOp::inferTypes(TypeInference &inference) {
  Shape input;
  Shape weight;
  if (failed(checkConvOperands(inference, getInput(), getWeight(), getBias(), input, weight))) {
    return failure();
  }
  return inferConv(inference, *this, input, weight, inference.elementType(getInput()));
}

LogicalResult IntegerConvOp::inferTypes(TypeInference &inference) {
  Shape input;
  Shape weight;
  if (failed(expectIntegers(inference, getInput(), {8, 16}, "an input")) ||
      failed(expectIntegers(inference, getWeight(), {8}, "weights")) ||
      failed(expectBias(inference, getBias())) ||
      failed(expectZeroPoint(inference, getInput(), getInputZeroPoint(), "inputZeroPoint")) ||
      failed(expectZeroPoint(inference, getWeight(), getWeightZeroPoint(), "weightZeroPoint")) ||
      failed(findConvShapes(inference, getInput(), getWeight(), input, weight)) ||
      failed(expectChannelVectors(inference, getChannelVectors(),
                                  weight.empty() ? kDynamic : weight[0], getWeightZeroPoint()))) {
    return failure();
  }
  return inferConv(inference, *this, input, weight, sumTypeOf(inference, *this, getBias()));
}

LogicalResult IntegerSumPoolOp::inferTypes(TypeInference &inference) {
  if (failed(expectIntegers(inference, getInput(), {8, 16}, "an input")) ||
      failed(expectZeroPoint(inference, getInput(), getInputZeroPoint(), "inputZeroPoint"))) {
    return failure();
  }
  Windows windows{getKernel(), getStrides(), getPads(), getDilations()};
  return inferPool(inference, getInput(), windows, getCeilMode(), /*mustHoldInput=*/false,
                   IntegerType::get(getContext(), 32));
}

/// Returns the size of one spatial dimension of a transposed convolution, as
/// NN.td defines it.
static FailureOr<int64_t> transposedSize(TypeInference &inference, const Window &window,
                                         int64_t outputPadding) {
  if (window.input == kDynamic || window.kernel == kDynamic) {
    return kDynamic;
  }
  if (failed(checkDim(inference, window.input))) {
    return failure();
  }
  int64_t spread = 0; // stride * (input - 1)
  int64_t size = 0;
  int64_t rest = outputPadding + window.extent() - window.padBegin - window.padEnd;
  bool overflows = llvm::MulOverflow(window.stride, window.input - 1, spread) ||
                   llvm::AddOverflow(spread, rest, size);
  if (!overflows && size >= 1) {
    return size;
  }
  return FailureOr<int64_t>(inference.error()
                            << "expects pads that leave a positive output size, got stride "
                            << window.stride << " x (input " << window.input
                            << " - 1) + output padding " << outputPadding << " + window "
                            << window.extent() << " - pads " << window.padBegin << " and "
                            << window.padEnd);
}

/// Checks [conv_transpose.1] and the bias. The weights have shape I x (O /
/// groups) x spatial....
static LogicalResult checkTransposedChannels(TypeInference &inference, ConvTransposeOp op,
                                             int64_t channels, ArrayRef<int64_t> weight,
                                             int64_t &outputChannels) {
  int64_t groups = op.getGroups();
  if (failed(checkGroups(inference, groups, "groups"))) {
    return failure();
  }
  if (!mayEqual(channels, weight[0])) {
    return inference.error() << "expects " << weight[0]
                             << " input channels (dimension 0 of the weights), got " << channels;
  }
  int64_t known = channels != kDynamic ? channels : weight[0];
  if (known != kDynamic && known % groups != 0) {
    return inference.error() << "expects the number of input channels to be a multiple of "
                             << groups << " groups, got " << known;
  }
  outputChannels = kDynamic;
  if (weight[1] != kDynamic && llvm::MulOverflow(weight[1], groups, outputChannels)) {
    return inference.error() << "expects the number of output channels to be within int64, got "
                             << weight[1] << " x " << groups;
  }
  return expectVector(inference, op.getBias(), outputChannels, "the bias");
}

LogicalResult ConvTransposeOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  Shape input;
  Shape weight;
  if (failed(checkConvOperands(inference, getInput(), getWeight(), getBias(), input, weight))) {
    return failure();
  }
  if (input.empty()) {
    inference.setUnranked(0, element);
    return success();
  }
  int64_t spatialRank = input.size() - 2;
  Windows windows{ArrayRef(weight).drop_front(2), getStrides(), getPads(), getDilations()};
  Shape result = {input[0], kDynamic};
  if (failed(checkWindows(inference, windows, spatialRank, -kMaxExtent, Unknown::IsAllowed)) ||
      failed(expectCount(inference, getOutputPadding(), spatialRank, "output paddings")) ||
      failed(expectPads(inference, getOutputPadding(), "output paddings", 0)) ||
      failed(checkTransposedChannels(inference, *this, input[1], weight, result[1]))) {
    return failure();
  }
  for (int64_t i = 0; i < spatialRank; ++i) {
    FailureOr<int64_t> size =
        transposedSize(inference, windows.along(i, input[i + 2]), getOutputPadding()[i]);
    if (failed(size)) {
      return failure();
    }
    result.push_back(*size);
  }
  inference.set(0, element, result);
  return success();
}

/// Checks the offset or the mask: `coordinates` values per offset group, kernel
/// element and output position ([deform_conv.1]). The mask has one coordinate.
static LogicalResult checkSampling(TypeInference &inference, DeformConvOp op, Value value,
                                   int64_t coordinates, ArrayRef<int64_t> weight,
                                   ArrayRef<int64_t> result, StringRef operand) {
  if (!value || !inference.hasRank(value)) {
    return success();
  }
  Shape expected(result.begin(), result.end());
  expected[1] = coordinates * op.getOffsetGroups();
  for (int64_t kernel : weight.drop_front(2)) {
    if (kernel == kDynamic) {
      expected[1] = kDynamic;
      break;
    }
    if (llvm::MulOverflow(expected[1], kernel, expected[1])) {
      return inference.error()
             << "expects a kernel whose size is within int64; use a smaller kernel";
    }
  }
  Shape shape = inference.shape(value);
  if (shape.size() == expected.size() && llvm::all_of(llvm::zip(shape, expected), [](auto pair) {
        return mayEqual(std::get<0>(pair), std::get<1>(pair));
      })) {
    return success();
  }
  return inference.error() << "expects " << operand << " of type "
                           << RankedTensorType::get(expected, inference.elementType(value))
                           << ", got " << inference.type(value);
}

LogicalResult DeformConvOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  Shape input;
  Shape weight;
  if (failed(checkConvOperands(inference, getInput(), getWeight(), getBias(), input, weight)) ||
      failed(expectFloats(inference, getInput(), "an input")) ||
      failed(expectElementsLike(inference, getOffset(), getInput(), "offsets")) ||
      failed(expectElementsLike(inference, getMask(), getInput(), "a mask"))) {
    return failure();
  }
  if (input.empty()) {
    inference.setUnranked(0, element);
    return success();
  }
  int64_t spatialRank = input.size() - 2;
  Windows windows{ArrayRef(weight).drop_front(2), getStrides(), getPads(), getDilations()};
  Shape result = {input[0], weight[0]};
  if (failed(checkWindows(inference, windows, spatialRank, -kMaxExtent, Unknown::IsAllowed)) ||
      failed(checkConvChannels(inference, input, weight, getGroups(), getBias())) ||
      failed(checkGroups(inference, getOffsetGroups(), "offset groups")) ||
      failed(appendPositions(inference, windows, input, /*ceilMode=*/false, result)) ||
      failed(
          checkSampling(inference, *this, getOffset(), spatialRank, weight, result, "offsets")) ||
      failed(checkSampling(inference, *this, getMask(), 1, weight, result, "a mask"))) {
    return failure();
  }
  int64_t offsetGroups = getOffsetGroups();
  if (input[1] != kDynamic && input[1] % offsetGroups != 0) { // [deform_conv.2]
    return inference.error() << "expects the number of input channels to be a multiple of "
                             << offsetGroups << " offset groups, got " << input[1];
  }
  inference.set(0, element, result);
  return success();
}

LogicalResult MaxPoolOp::inferTypes(TypeInference &inference) {
  Windows windows{getKernel(), getStrides(), getPads(), getDilations()};
  if (failed(expectNumbers(inference, getInput(), "an input")) ||
      failed(inferPool(inference, getInput(), windows, getCeilMode(), /*mustHoldInput=*/true))) {
    return failure();
  }
  auto pooled = cast<TensorType>(inference.results()[0]);
  inference.set(1, pooled.clone(IntegerType::get(getContext(), 64)));
  return success();
}

LogicalResult AveragePoolOp::inferTypes(TypeInference &inference) {
  Windows windows{getKernel(), getStrides(), getPads(), getDilations()};
  if (failed(expectFloats(inference, getInput(), "an input"))) {
    return failure();
  }
  return inferPool(inference, getInput(), windows, getCeilMode(),
                   /*mustHoldInput=*/!getCountIncludePad());
}

LogicalResult LpPoolOp::inferTypes(TypeInference &inference) {
  Windows windows{getKernel(), getStrides(), getPads(), getDilations()};
  if (failed(expectFloats(inference, getInput(), "an input"))) {
    return failure();
  }
  if (static_cast<int64_t>(getP()) < 1) { // [lp_pool.1]
    return inference.error() << "expects p of 1 or more, got " << static_cast<int64_t>(getP());
  }
  return inferPool(inference, getInput(), windows, getCeilMode(), /*mustHoldInput=*/false);
}

/// Returns the shape that the indices refer to; kDynamic for unknown
/// dimensions.
static FailureOr<Shape> unpooledShape(TypeInference &inference, MaxUnpoolOp op) {
  Shape input = inference.shape(op.getInput());
  SmallVector<int64_t> dilations(op.getKernel().size(), 1);
  Windows windows{op.getKernel(), op.getStrides(), op.getPads(), dilations};
  Shape result = {input[0], input[1]};
  for (size_t i = 2; i < input.size(); ++i) {
    FailureOr<int64_t> size =
        transposedSize(inference, windows.along(i - 2, input[i]), /*outputPadding=*/0);
    if (failed(size)) {
      return failure();
    }
    result.push_back(*size);
  }
  return result;
}

/// Checks that `outputShape`, which replaces the unpooled shape, is not smaller
/// in any dimension.
static LogicalResult checkOutputShape(TypeInference &inference, ArrayRef<int64_t> given,
                                      ArrayRef<int64_t> unpooled) {
  bool fits = given.size() == unpooled.size() && mayEqual(given[0], unpooled[0]) &&
              mayEqual(given[1], unpooled[1]);
  for (size_t i = 0; fits && i < given.size(); ++i) {
    fits = given[i] >= 0 && (unpooled[i] == kDynamic || given[i] >= unpooled[i]);
  }
  if (fits) { // [max_unpool.1]
    return success();
  }
  InFlightDiagnostic diag = inference.error() << "expects an output shape of at least [";
  llvm::interleaveComma(unpooled, diag);
  diag << "] with the same batch and channels, got [";
  llvm::interleaveComma(given, diag);
  return diag << "]";
}

LogicalResult MaxUnpoolOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getInput());
  Type indexElement = inference.elementType(getIndices());
  if (failed(expectNumbers(inference, getInput(), "an input"))) {
    return failure();
  }
  if (!isInteger(fromMlir(indexElement)) ||
      (getOutputShape() && !isInteger(fromMlir(inference.elementType(getOutputShape()))))) {
    return inference.error() << "expects indices and output shape of an integer type";
  }
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  Shape input = inference.shape(getInput());
  SmallVector<int64_t> dilations(getKernel().size(), 1);
  Windows windows{getKernel(), getStrides(), getPads(), dilations};
  if (input.size() < 3) {
    return inference.error() << "expects an input of rank 3 or more, got "
                             << inference.type(getInput());
  }
  if (failed(
          checkWindows(inference, windows, input.size() - 2, /*lowestPad=*/0, Unknown::IsWrong)) ||
      failed(expectRank(inference, getIndices(), input.size(), "indices"))) {
    return failure();
  }
  FailureOr<Shape> result = unpooledShape(inference, *this);
  if (failed(result)) {
    return failure();
  }
  if (getOutputShape()) {
    std::optional<Shape> given = inference.ints(getOutputShape());
    if (given && failed(checkOutputShape(inference, *given, *result))) {
      return failure();
    }
    result = given ? *given : Shape(input.size(), kDynamic);
  }
  inference.set(0, element, *result);
  return success();
}

} // namespace convoy::graph
