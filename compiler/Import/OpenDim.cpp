// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on dimensions. Static dimensions are computed at import; dynamic
// dimensions become ops on i64 vectors.

#include "Import/OpenDim.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::import {

OpenDim dimOf(NodeContext &n, Value x, int64_t axis) {
  int64_t dim = cast<RankedTensorType>(x.getType()).getDimSize(axis);
  if (dim != graph::kDynamic) {
    return dim;
  }
  return n.emit<graph::ShapeOp>(x, axis, n.builder.getI64IntegerAttr(axis + 1));
}

SmallVector<OpenDim> dimsOf(NodeContext &n, Value x) {
  SmallVector<OpenDim> dims;
  for (int64_t i = 0; i < cast<RankedTensorType>(x.getType()).getRank(); ++i) {
    dims.push_back(dimOf(n, x, i));
  }
  return dims;
}

static Value toValue(NodeContext &n, OpenDim dim) {
  return std::holds_alternative<Value>(dim) ? std::get<Value>(dim)
                                            : n.ints({std::get<int64_t>(dim)});
}

OpenDim multiply(NodeContext &n, OpenDim a, OpenDim b) {
  const int64_t *left = std::get_if<int64_t>(&a);
  const int64_t *right = std::get_if<int64_t>(&b);
  int64_t product = 0;
  if (!left || !right) {
    return n.mul(toValue(n, a), toValue(n, b));
  }
  if (llvm::MulOverflow(*left, *right, product)) {
    n.error() << "has dimensions " << *left << " and " << *right
              << ", whose product overflows int64";
  }
  return product;
}

OpenDim divide(NodeContext &n, OpenDim a, int64_t b) {
  const int64_t *number = std::get_if<int64_t>(&a);
  if (!number) {
    return n.div(std::get<Value>(a), n.ints({b}));
  }
  if (b <= 0 || *number % b != 0) {
    n.error() << "expects a dimension that is a multiple of " << b << ", got " << *number;
    return int64_t(1);
  }
  return *number / b;
}

Value shapeVector(NodeContext &n, ArrayRef<OpenDim> dims) {
  // Adjacent static dimensions share one constant.
  SmallVector<Value> parts;
  Shape numbers;
  auto flush = [&] {
    if (!numbers.empty()) {
      parts.push_back(n.ints(numbers));
      numbers.clear();
    }
  };
  for (const OpenDim &dim : dims) {
    if (const int64_t *number = std::get_if<int64_t>(&dim)) {
      numbers.push_back(*number);
    } else {
      flush();
      parts.push_back(std::get<Value>(dim));
    }
  }
  flush();
  if (parts.empty()) {
    return n.ints({});
  }
  return parts.size() == 1 ? parts.front() : n.concat(parts, 0);
}

Value reshapeTo(NodeContext &n, Value x, ArrayRef<OpenDim> dims) {
  return n.emit<graph::ReshapeOp>(x, shapeVector(n, dims), /*allowZero=*/true);
}

FailureOr<int64_t> axisOf(NodeContext &n, int64_t axis, Value x, int64_t extra) {
  if (n.hasRank(x)) {
    return n.axis(axis, cast<RankedTensorType>(x.getType()).getRank() + extra);
  }
  if (axis >= 0) {
    return axis;
  }
  return FailureOr<int64_t>(
      n.unsupported()
      << "with axis " << axis
      << " of an operand of unknown rank; use a non-negative axis or export the model with shapes");
}

FailureOr<std::optional<Shape>> knownIntegers(NodeContext &n, Value operand, StringRef name) {
  if (!isInteger(n.element(operand))) {
    return FailureOr<std::optional<Shape>>(
        n.error() << "expects '" << name << "' to have an integer type, got " << operand.getType());
  }
  std::optional<Tensor> tensor = n.known(operand);
  return tensor ? std::optional<Shape>(tensor->ints()) : std::nullopt;
}

} // namespace convoy::import
