// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of the ops of Tensor.td that reshape, repeat or generate elements.
// InferSlice.cpp holds the rules of slice, split, concat and pad;
// InferSelection.cpp holds the rules of ops that select elements.

#include "Graph/Graph.h"
#include "Graph/IntegerOperand.h"
#include "Graph/SliceRange.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace convoy::graph {

LogicalResult ConstantOp::inferTypes(TypeInference &inference) {
  inference.set(0, getValue().getType());
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

namespace {

/// The entries of a reshape compared with the input's dimensions. An entry that
/// copies a dimension cancels the dimension, so -1 can be inferred even if a
/// copied dimension is dynamic.
struct ReshapeEntries {
  Shape result;
  std::optional<size_t> inferred; // index of the entry that is -1
  Shape givenDims;                // entries that are neither -1 nor copied
  Shape restDims;                 // input dimensions that no entry copies
};

FailureOr<ReshapeEntries> readEntries(ReshapeOp op, TypeInference &inference,
                                      ArrayRef<int64_t> entries) {
  ReshapeEntries read;
  bool isRanked = inference.hasRank(op.getInput());
  read.restDims = isRanked ? inference.shape(op.getInput()) : Shape{kDynamic};
  size_t inputRank = isRanked ? read.restDims.size() : entries.size();
  for (auto [i, entry] : llvm::enumerate(entries)) {
    bool isCopy = entry == 0 && !op.getAllowZero();
    if (entry < -1 || (entry == -1 && read.inferred)) {
      return FailureOr<ReshapeEntries>(
          inference.error() << "expects non-negative sizes and at most one -1 in 'shape', got "
                            << entry << " at position " << i << " [reshape.1]");
    }
    if (isCopy && i >= inputRank) {
      return FailureOr<ReshapeEntries>(inference.error()
                                       << "has a 0 at position " << i
                                       << " of 'shape', but there is no dimension to copy in "
                                       << inference.type(op.getInput()) << " [reshape.2]");
    }
    if (entry == -1) {
      read.inferred = i;
      read.result.push_back(kDynamic);
    } else if (isCopy) {
      read.result.push_back(isRanked ? read.restDims[i] : kDynamic);
      if (isRanked) {
        read.restDims[i] = 1;
      }
    } else {
      read.result.push_back(entry);
      read.givenDims.push_back(entry);
    }
  }
  return read;
}

} // namespace

LogicalResult ReshapeOp::inferTypes(TypeInference &inference) {
  FailureOr<IntegerOperand> shape = readIntegers(inference, getShape(), "shape");
  if (failed(shape)) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  if (!shape->values) {
    return setOpen(inference, 0, element, shape->length);
  }
  FailureOr<ReshapeEntries> read = readEntries(*this, inference, *shape->values);
  if (failed(read)) {
    return failure();
  }
  std::optional<int64_t> rest = elementCount(read->restDims);
  std::optional<int64_t> given = elementCount(read->givenDims);
  if (read->inferred && rest) {
    if (!given || *given == 0 || *rest % *given != 0) {
      return inference.error() << "cannot infer the -1 in 'shape': " << *rest
                               << " elements are not divisible by "
                               << (given ? std::to_string(*given) : "more than 2^63")
                               << " [reshape.1]";
    }
    read->result[*read->inferred] = *rest / *given;
  }
  auto isStatic = [](ArrayRef<int64_t> dims) { return !llvm::is_contained(dims, kDynamic); };
  if (inference.hasRank(getInput()) && isStatic(inference.shape(getInput())) &&
      isStatic(read->result) &&
      elementCount(inference.shape(getInput())) != elementCount(read->result)) {
    return inference.error() << "produces " << RankedTensorType::get(read->result, element)
                             << " from " << inference.type(getInput())
                             << ", which has a different number of elements [reshape.3]";
  }
  inference.set(0, element, read->result);
  return success();
}

LogicalResult ReorderOp::inferTypes(TypeInference &inference) { // [reorder.1]
  inference.set(0, inference.elementType(getInput()), inference.shape(getInput()));
  return success();
}

LogicalResult TransposeOp::inferTypes(TypeInference &inference) {
  ArrayRef<int64_t> perm = getPerm();
  Type element = inference.elementType(getInput());
  bool isRanked = inference.hasRank(getInput());
  Shape input = isRanked ? inference.shape(getInput()) : Shape(perm.size(), kDynamic);
  SmallVector<int64_t> sorted(perm);
  llvm::sort(sorted);
  bool isPermutation = sorted.size() == input.size();
  for (size_t i = 0; isPermutation && i < sorted.size(); ++i) {
    isPermutation = sorted[i] == static_cast<int64_t>(i);
  }
  if (!isPermutation) {
    return inference.error() << "expects a permutation of the dimensions of "
                             << inference.type(getInput()) << ", got [" << perm
                             << "] [transpose.1]";
  }
  Shape result;
  for (int64_t dim : perm) {
    result.push_back(input[dim]);
  }
  inference.set(0, element, result);
  return success();
}

LogicalResult ExpandOp::inferTypes(TypeInference &inference) {
  FailureOr<IntegerOperand> shape = readIntegers(inference, getShape(), "shape");
  if (failed(shape)) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  if (shape->values && llvm::any_of(*shape->values, [](int64_t dim) { return dim < 0; })) {
    return inference.error() << "expects non-negative sizes in 'shape', got ["
                             << ArrayRef<int64_t>(*shape->values) << "] [expand.1]";
  }
  if (!inference.hasRank(getInput()) || shape->length == kDynamic) {
    inference.setUnranked(0, element);
    return success();
  }
  // setOpen checks the rank before a shape of this length is built.
  if (!shape->values && failed(setOpen(inference, 0, element, shape->length))) {
    return failure();
  }
  Shape target = shape->values ? *shape->values : Shape(shape->length, kDynamic);
  std::optional<Shape> result = broadcastShapes(inference.shape(getInput()), target);
  if (!result) {
    return inference.error() << "cannot broadcast " << inference.type(getInput()) << " and ["
                             << ArrayRef<int64_t>(target) << "] [expand.1]";
  }
  inference.set(0, element, *result);
  return success();
}

LogicalResult TileOp::inferTypes(TypeInference &inference) {
  FailureOr<IntegerOperand> repeats = readIntegers(inference, getRepeats(), "repeats");
  if (failed(repeats)) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  if (!inference.hasRank(getInput())) {
    return setOpen(inference, 0, element, repeats->length);
  }
  Shape shape = inference.shape(getInput());
  if (failed(checkLength(inference, "repeats", *repeats, shape.size(), "[tile.1]"))) {
    return failure();
  }
  if (!repeats->values) {
    return setOpen(inference, 0, element, shape.size());
  }
  for (auto [dim, repeat] : llvm::zip(shape, *repeats->values)) {
    if (repeat < 0 || (dim != kDynamic && llvm::MulOverflow(dim, repeat, dim))) {
      return inference.error() << "expects non-negative repeats and a size within int64, got "
                               << repeat << " [tile.1]";
    }
  }
  inference.set(0, element, shape);
  return success();
}

LogicalResult ShapeOp::inferTypes(TypeInference &inference) {
  Type i64 = IntegerType::get(getContext(), 64);
  if (!inference.hasRank(getInput())) {
    inference.set(0, i64, {kDynamic});
    return success();
  }
  int64_t rank = inference.shape(getInput()).size();
  int64_t start = static_cast<int64_t>(getStart());
  int64_t end = getEnd() ? static_cast<int64_t>(*getEnd()) : rank;
  inference.set(0, i64, {sliceRange(rank, start, end, /*step=*/1).length});
  return success();
}

namespace {

// Above this limit f64 does not represent every integer. No tensor has this
// many elements.
constexpr double kEndless = 9007199254740992.0; // 2^53

uint64_t magnitude(int64_t value) {
  return value < 0 ? uint64_t(0) - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

/// Returns the number of elements of a range, or nullopt if it is unbounded.
std::optional<int64_t> rangeLength(const Tensor &start, const Tensor &limit, const Tensor &delta) {
  if (isFloat(start.type())) {
    double length = std::ceil((limit.asDouble(0) - start.asDouble(0)) / delta.asDouble(0));
    bool isFinite = length < kEndless; // false for NaN
    return isFinite ? std::optional<int64_t>(std::max(length, 0.0)) : std::nullopt;
  }
  int64_t distance = 0;
  int64_t step = delta.asInt(0);
  if (step == 0 || llvm::SubOverflow(limit.asInt(0), start.asInt(0), distance)) {
    return std::nullopt;
  }
  if (distance == 0 || (distance < 0) != (step < 0)) {
    return 0;
  }
  uint64_t length = (magnitude(distance) - 1) / magnitude(step) + 1;
  return length <= INT64_MAX ? std::optional<int64_t>(length) : std::nullopt;
}

bool isScalar(TypeInference &inference, Value value) {
  return !inference.hasRank(value) ||
         llvm::all_of(inference.shape(value), [](int64_t d) { return d == 1 || d == kDynamic; });
}

} // namespace

LogicalResult RangeOp::inferTypes(TypeInference &inference) {
  Type element = inference.elementType(getStart());
  ElementType type = fromMlir(element);
  for (Value operand : getOperands()) {
    if (inference.elementType(operand) != element || !isScalar(inference, operand)) {
      return inference.error() << "expects three scalars of the same type, got "
                               << inference.type(operand) << " and " << inference.type(getStart())
                               << " [range.1]";
    }
  }
  if (!isFloat(type) && !isInteger(type)) {
    return inference.error() << "expects operands of a numeric type, got "
                             << inference.type(getStart()) << " [range.1]";
  }
  std::optional<Tensor> start = inference.value(getStart());
  std::optional<Tensor> limit = inference.value(getLimit());
  std::optional<Tensor> delta = inference.value(getDelta());
  if (!start || !limit || !delta) {
    inference.set(0, element, {kDynamic});
    return success();
  }
  std::optional<int64_t> length = rangeLength(*start, *limit, *delta);
  if (!length) {
    return inference.error()
           << "expects finite operands and a delta that reaches the limit, got delta "
           << delta->asDouble(0) << " [range.1]";
  }
  inference.set(0, element, {*length});
  return success();
}

LogicalResult TriluOp::inferTypes(TypeInference &inference) {
  if (failed(readInteger(inference, getK(), "k"))) {
    return failure();
  }
  if (inference.hasRank(getInput()) && inference.shape(getInput()).size() < 2) {
    return inference.error() << "expects an input of rank 2 or more, got "
                             << inference.type(getInput()) << " [trilu.1]";
  }
  inference.set(0, inference.type(getInput()));
  return success();
}

LogicalResult BitcastOp::inferTypes(TypeInference &inference) {
  ElementType from = fromMlir(inference.elementType(getInput()));
  ElementType to = fromMlir(getTo());
  bool isNumber = isFloat(to) || isInteger(to);
  if ((from != to && !isNumber) || bitWidth(from) != bitWidth(to)) {
    return inference.error() << "expects a target type of " << bitWidth(from) << " bits, got "
                             << getTo() << " for " << inference.type(getInput()) << " [bitcast.1]";
  }
  if (!inference.hasRank(getInput())) {
    inference.setUnranked(0, getTo());
    return success();
  }
  inference.set(0, getTo(), inference.shape(getInput()));
  return success();
}

namespace {

// Sizes, strides and dilations up to this limit keep every position within
// int64.
constexpr int64_t kMaxExtent = INT32_MAX;

bool isExtent(ArrayRef<int64_t> values, int64_t lowest) {
  return llvm::all_of(values, [&](int64_t v) { return v >= lowest && v <= kMaxExtent; });
}

/// Returns the number of block positions that fit into an image, or nullopt if
/// no block fits.
std::optional<int64_t> columnCount(Col2ImOp op, ArrayRef<int64_t> image, ArrayRef<int64_t> block) {
  size_t dims = image.size();
  Shape counts;
  for (size_t i = 0; i < dims; ++i) {
    int64_t span = op.getDilations()[i] * (block[i] - 1) + 1;
    int64_t room = image[i] + op.getPads()[i] + op.getPads()[i + dims] - span;
    if (room < 0) {
      return std::nullopt;
    }
    counts.push_back(room / op.getStrides()[i] + 1);
  }
  return elementCount(counts);
}

/// Checks known image and block shapes, and the attributes.
LogicalResult checkCol2Im(Col2ImOp op, TypeInference &inference, ArrayRef<int64_t> image,
                          ArrayRef<int64_t> block) {
  size_t dims = image.size();
  bool isValid = block.size() == dims && op.getDilations().size() == dims &&
                 op.getStrides().size() == dims && op.getPads().size() == 2 * dims &&
                 isExtent(image, 1) && isExtent(block, 1) && isExtent(op.getDilations(), 1) &&
                 isExtent(op.getStrides(), 1) && isExtent(op.getPads(), 0);
  if (!isValid) {
    return inference.error()
           << "expects, for an image of " << dims
           << " dimensions, the same number of positive block sizes, dilations and strides and "
              "twice as many non-negative pads, all below 2^31 [col2im.2]";
  }
  return success();
}

} // namespace

LogicalResult Col2ImOp::inferTypes(TypeInference &inference) {
  FailureOr<IntegerOperand> image = readIntegers(inference, getImageShape(), "imageShape");
  FailureOr<IntegerOperand> block = readIntegers(inference, getBlockShape(), "blockShape");
  if (failed(image) || failed(block)) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  ElementType type = fromMlir(element);
  if (!isFloat(type) && !isInteger(type)) {
    return inference.error() << "expects an input of a numeric type, got "
                             << inference.type(getInput());
  }
  if (!image->values || !block->values || !inference.hasRank(getInput())) {
    inference.setUnranked(0, element);
    return success();
  }
  if (failed(checkCol2Im(*this, inference, *image->values, *block->values))) {
    return failure();
  }
  Shape input = inference.shape(getInput());
  std::optional<int64_t> blockSize = elementCount(*block->values);
  std::optional<int64_t> columns = columnCount(*this, *image->values, *block->values);
  auto isOrOpen = [](int64_t dim, bool isRight) { return dim == kDynamic || isRight; };
  if (input.size() != 3 || !blockSize || !columns || !isOrOpen(input[2], input[2] == *columns) ||
      !isOrOpen(input[1], input[1] % *blockSize == 0)) {
    return inference.error() << "expects an input of batch x (channels * " << blockSize.value_or(-1)
                             << ") x " << columns.value_or(-1) << ", got "
                             << inference.type(getInput()) << " [col2im.1]";
  }
  Shape result{input[0], input[1] == kDynamic ? kDynamic : input[1] / *blockSize};
  result.append(image->values->begin(), image->values->end());
  inference.set(0, element, result);
  return success();
}

} // namespace convoy::graph
