// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits products whose results are read only in parts. Exporters write query, key and value of
// attention as one product, and the halves of a gated layer too. The parts then have to be copied
// out of the result. Before the pass, and each of three parts after it:
//
//     x -- matmul -- add -- reshape -------- transpose ------ gather 0, gather 1, gather 2
//          [s, 3*n]         [s, 3, h, n/h]   [3, h, s, n/h]
//
//     x -- matmul -- add -- reshape -------- transpose
//          [s, n]           [s, h, n/h]      [h, s, n/h]
//
// The columns of a product do not depend on each other, so every element keeps its value.

#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "Simplify/StaticType.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_SPLITPRODUCTSPASS
#include "Simplify/Passes.h.inc"

namespace {

/// Parts are split only at multiples of this number of columns, so that vectors stay full.
constexpr int64_t kColumnMultiple = 16;

/// Returns the only reader of a value, or null.
Operation *onlyReader(Value value) { return value.hasOneUse() ? *value.user_begin() : nullptr; }

/// Returns the only integer of a constant of one element.
std::optional<int64_t> constantInt(Value value) {
  std::optional<Tensor> tensor = value ? constantValue(value) : std::nullopt;
  return tensor && tensor->size() == 1 ? std::optional(tensor->asInt(0)) : std::nullopt;
}

/// Columns [begin, end) of the product, which `reader` reads.
struct Part {
  Operation *reader;
  int64_t begin;
  int64_t end;
};

/// A product with a constant matrix and the ops up to the readers of its parts.
struct SplitProduct {
  MatMulOp product;
  BinaryOp bias;         // adds a constant vector; may be null
  ReshapeOp reshape;     // divides the columns into parts; null if slices read the columns
  TransposeOp transpose; // may be null
  int64_t partAxis = 0;  // dimension of the reshaped value that numbers the parts
  SmallVector<Part> parts;

  Value last() {
    Value value = bias ? bias.getResult() : product.getResult();
    value = reshape ? reshape.getResult() : value;
    return transpose ? transpose.getResult() : value;
  }
  int64_t columns() { return staticType(product.getResult()).getShape().back(); }
};

/// Returns whether the op adds a constant vector to the columns of `value`.
bool addsVector(BinaryOp op, Value value) {
  if (!op || op.getKind() != BinaryKind::Add || op.getType() != value.getType()) {
    return false;
  }
  Value other = op.getLhs() == value ? op.getRhs() : op.getLhs();
  RankedTensorType type = staticType(other);
  return type && type.getRank() > 0 && other.getDefiningOp<ConstantOp>() &&
         type.getShape().back() == type.getNumElements() &&
         type.getNumElements() == staticType(value).getShape().back();
}

class Matcher {
public:
  explicit Matcher(MatMulOp product) { split.product = product; }

  std::optional<SplitProduct> match() {
    RankedTensorType result = staticType(split.product.getResult());
    RankedTensorType weights = staticType(split.product.getRhs());
    if (!result || result.getRank() < 2 || result.getNumElements() == 0 || !weights ||
        weights.getRank() != 2 || !split.product.getRhs().getDefiningOp<ConstantOp>()) {
      return std::nullopt;
    }
    Value value = split.product.getResult();
    if (auto bias = dyn_cast_or_null<BinaryOp>(onlyReader(value)); addsVector(bias, value)) {
      split.bias = bias;
    }
    split.reshape = dyn_cast_or_null<ReshapeOp>(onlyReader(split.last()));
    if (split.reshape && !findPartAxis()) {
      return std::nullopt;
    }
    split.transpose =
        split.reshape ? dyn_cast_or_null<TransposeOp>(onlyReader(split.last())) : TransposeOp();
    return matchReaders() && areDisjoint() ? std::optional(split) : std::nullopt;
  }

private:
  /// Finds the dimension of the reshaped value that numbers the parts: the first one that divides
  /// the columns.
  bool findPartAxis() {
    RankedTensorType type = staticType(split.reshape.getResult());
    int64_t rows = staticType(split.product.getResult()).getNumElements() / split.columns();
    int64_t before = 1;
    for (int64_t axis = 0; type && axis + 1 < type.getRank(); ++axis) {
      if (before == rows && type.getDimSize(axis) > 1) {
        split.partAxis = axis;
        return true;
      }
      before *= type.getDimSize(axis);
    }
    return false;
  }

  bool matchReaders() {
    for (Operation *reader : split.last().getUsers()) {
      std::optional<Part> part =
          split.reshape ? gathered(dyn_cast<GatherOp>(reader)) : sliced(dyn_cast<SliceOp>(reader));
      if (!part || reader->getBlock() != split.product->getBlock() ||
          part->begin % kColumnMultiple != 0 || part->end % kColumnMultiple != 0 ||
          part->begin >= part->end) {
        return false;
      }
      split.parts.push_back(*part);
    }
    return !split.parts.empty();
  }

  /// Returns the part that a gather with one constant index reads.
  std::optional<Part> gathered(GatherOp op) {
    RankedTensorType indices = op ? staticType(op.getIndices()) : RankedTensorType();
    std::optional<int64_t> index = indices ? constantInt(op.getIndices()) : std::nullopt;
    if (!index || indices.getRank() != 0 || op.getInput() != split.last()) {
      return std::nullopt;
    }
    auto axis = static_cast<int64_t>(op.getAxis());
    int64_t count = staticType(split.reshape.getResult()).getDimSize(split.partAxis);
    int64_t number = *index < 0 ? *index + count : *index;
    int64_t source = split.transpose ? split.transpose.getPerm()[axis] : axis;
    if (source != split.partAxis || number < 0 || number >= count) {
      return std::nullopt;
    }
    int64_t width = split.columns() / count;
    return Part{op, number * width, (number + 1) * width};
  }

  /// Returns the part that a slice of consecutive columns reads.
  std::optional<Part> sliced(SliceOp op) {
    if (!op || !staticType(op.getResult())) {
      return std::nullopt;
    }
    std::optional<int64_t> begin = constantInt(op.getStarts());
    std::optional<int64_t> axis = constantInt(op.getAxes());
    std::optional<int64_t> step =
        op.getSteps() ? constantInt(op.getSteps()) : std::optional<int64_t>(1);
    int64_t rank = staticType(split.product.getResult()).getRank();
    if (!begin || !axis || step != 1 || (*axis != rank - 1 && *axis != -1)) {
      return std::nullopt;
    }
    int64_t first =
        std::clamp<int64_t>(*begin < 0 ? *begin + split.columns() : *begin, 0, split.columns());
    return Part{op, first, first + staticType(op.getResult()).getShape().back()};
  }

  /// Returns whether no column is in two parts, so that no column is computed twice.
  bool areDisjoint() {
    SmallVector<Part> sorted = split.parts;
    llvm::sort(sorted, [](const Part &a, const Part &b) { return a.begin < b.begin; });
    for (size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i].begin < sorted[i - 1].end) {
        return false;
      }
    }
    return sorted.size() > 1 || sorted[0].end - sorted[0].begin < split.columns();
  }

  SplitProduct split;
};

/// Returns the entries of a permutation without one dimension.
SmallVector<int64_t> without(ArrayRef<int64_t> perm, int64_t removed) {
  SmallVector<int64_t> result;
  for (int64_t dim : perm) {
    if (dim != removed) {
      result.push_back(dim > removed ? dim - 1 : dim);
    }
  }
  return result;
}

/// Replaces the readers of the parts by products of their own.
class Splitter {
public:
  explicit Splitter(SplitProduct &split) : split(split), builder(split.product) {}

  /// Returns whether all types could be inferred.
  bool run() {
    for (const Part &part : split.parts) {
      builder.setInsertionPoint(part.reader);
      part.reader->getResult(0).replaceAllUsesWith(ordered(columns(part), part));
    }
    SmallVector<Operation *> dead;
    for (const Part &part : split.parts) {
      dead.push_back(part.reader);
    }
    llvm::append_values(dead, split.transpose, split.reshape, split.bias, split.product);
    for (Operation *op : dead) {
      if (op) {
        op->erase();
      }
    }
    return !hasFailed;
  }

private:
  /// Returns the columns of the product with its bias.
  Value columns(const Part &part) {
    TypedBuilder b(builder, split.product.getLoc());
    Value weights = b.slice(split.product.getRhs(), 1, part.begin, part.end);
    Value result = b.matmul(split.product.getLhs(), weights);
    hasFailed |= b.hasFailed;
    if (!split.bias) {
      return result;
    }
    TypedBuilder atBias(builder, split.bias.getLoc());
    bool isLeft = split.bias.getLhs() != split.product.getResult();
    Value vector = isLeft ? split.bias.getLhs() : split.bias.getRhs();
    int64_t axis = staticType(vector).getRank() - 1;
    Value own = atBias.slice(vector, axis, part.begin, part.end);
    Value sum = isLeft ? atBias.add(own, result) : atBias.add(result, own);
    hasFailed |= atBias.hasFailed;
    return sum;
  }

  /// Returns the part in the shape that the reader gives it.
  Value ordered(Value value, const Part &part) {
    if (!split.reshape) {
      return value;
    }
    SmallVector<int64_t> shape(staticType(split.reshape.getResult()).getShape());
    shape.erase(shape.begin() + split.partAxis);
    TypedBuilder last(builder, part.reader->getLoc());
    TypedBuilder b(builder, split.transpose ? split.reshape.getLoc() : last.loc);
    Value result = b.reshape(value, shape);
    if (split.transpose) {
      result = last.transpose(result, without(split.transpose.getPerm(), split.partAxis));
    }
    hasFailed |= b.hasFailed || last.hasFailed;
    return result;
  }

  SplitProduct &split;
  OpBuilder builder;
  bool hasFailed = false;
};

struct SplitProducts : impl::SplitProductsPassBase<SplitProducts> {
  void runOnOperation() override {
    // Only products of the function itself: the template for recurrent layers computes the products
    // in the body of a scan as a whole.
    SmallVector<MatMulOp> products(getOperation().getBody().getOps<MatMulOp>());
    for (MatMulOp product : products) {
      if (std::optional<SplitProduct> split = Matcher(product).match()) {
        ++splitProducts;
        if (!Splitter(*split).run()) {
          return signalPassFailure();
        }
      }
    }
  }
};

} // namespace
} // namespace convoy::simplify
