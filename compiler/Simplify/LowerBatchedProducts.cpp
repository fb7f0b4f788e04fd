// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collapses the leading dimensions of batched matrix products. Exporters write a
// linear layer of a sequence as [b, s, K] x [K, N]. Every row is multiplied by the
// same matrix, and the kernel templates implement products of two matrices.
//
//     x ------------ matmul ---- add -------------- y        before
//     [b, s, K]      [b, s, N]   [b, s, N]
//
//     x -- reshape - matmul ---- add ---- reshape - y        after
//          [b*s, K]  [b*s, N]    [b*s, N] [b, s, N]
//
// A reshape is a view and costs nothing, but Fusion ends a kernel at a reshape. Therefore the
// pass moves the second reshape down past the element-wise ops that Fusion puts into the
// kernel of the product. Fusion groups the ops; Layout chooses the template.

#include "Graph/OpFacts.h"
#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "Simplify/StaticType.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_LOWERBATCHEDPRODUCTSPASS
#include "Simplify/Passes.h.inc"

namespace {

/// Bounds the search for readers that meet.
constexpr size_t kMostJoinedReaders = 32;

/// Returns [b, s, n] with its leading dimensions collapsed: [b * s, n].
Shape matrixShape(ArrayRef<int64_t> shape) {
  int64_t rows = 1;
  for (int64_t dim : shape.drop_back()) {
    rows *= dim;
  }
  return {rows, shape.back()};
}

/// Returns whether a byte_matmul has one zero point for the left side or one per row.
bool hasRowZeroPoints(ByteMatMulOp op) {
  RankedTensorType lhs = staticType(op.getLhs());
  RankedTensorType zeroPoint = staticType(op.getLhsZeroPoint());
  return zeroPoint && (zeroPoint.getNumElements() == 1 ||
                       zeroPoint.getShape().drop_back() == lhs.getShape().drop_back());
}

/// Returns whether the op is a product whose left side has leading dimensions to
/// collapse and whose right side is a constant matrix. Weights that Quantize
/// requires as integers are operands of a dequantize_linear.
bool isBatched(Operation *op) {
  auto bytes = dyn_cast<ByteMatMulOp>(op);
  if (!bytes && !isa<MatMulOp>(op)) {
    return false;
  }
  RankedTensorType lhs = staticType(op->getOperand(0));
  RankedTensorType rhs = staticType(op->getOperand(1));
  auto dequantize = op->getOperand(1).getDefiningOp<DequantizeLinearOp>();
  Value weights = dequantize ? dequantize.getInput() : op->getOperand(1);
  return lhs && rhs && lhs.getRank() > 2 && rhs.getRank() == 2 && lhs.getNumElements() > 0 &&
         rhs.getNumElements() > 0 && weights.getDefiningOp<ConstantOp>() &&
         (!bytes || hasRowZeroPoints(bytes));
}

/// Returns whether each element of the result depends on one element of each
/// operand. Excludes quantize_linear and dequantize_linear with blocked scales.
bool isElementwise(Operation *op) {
  if (auto quantize = dyn_cast<QuantizeLinearOp>(op)) {
    return quantize.getBlockSize() == 0;
  }
  if (auto dequantize = dyn_cast<DequantizeLinearOp>(op)) {
    return dequantize.getBlockSize() == 0;
  }
  return collapsesDimensions(op) && !isa<ConstantOp, BitcastOp>(op) && op->getNumResults() == 1;
}

/// Returns the shape with which an operand of shape `own`, which broadcasts to
/// `whole`, broadcasts to matrixShape(whole):
///
///     whole [2, 5, 8]:   [2, 5, 8] -> [10, 8]   [2, 5, 1] -> [10, 1]   [1, 1, 8] -> [8]
///
/// Returns nullopt if the operand broadcasts along only some of the leading
/// dimensions, for example [1, 5, 8].
std::optional<Shape> operandShape(ArrayRef<int64_t> own, ArrayRef<int64_t> whole) {
  auto isOne = [](int64_t dim) { return dim == 1; };
  if (own.size() <= 1) {
    return Shape(own);
  }
  if (own == whole) { // also if it has one element, because it gives the result its rank
    return matrixShape(own);
  }
  if (llvm::all_of(own, isOne)) {
    return Shape();
  }
  Shape shape(whole.size() - own.size(), 1);
  llvm::append_range(shape, own);
  if (ArrayRef(shape).drop_back() == whole.drop_back()) {
    return matrixShape(shape);
  }
  bool isVector = llvm::all_of(own.drop_back(), isOne);
  return isVector ? std::optional<Shape>({own.back()}) : std::nullopt;
}

/// Returns whether a quantize_linear or dequantize_linear has one scale, or one
/// scale per index of the last dimension.
template <typename OpT>
bool scalesByColumn(OpT op) {
  RankedTensorType scale = staticType(op.getScale());
  int64_t last = cast<RankedTensorType>(op.getType()).getRank() - 1;
  return scale && (scale.getRank() == 0 || static_cast<int64_t>(op.getAxis()) == last);
}

/// Returns the operand shapes with which an element-wise op computes a matrix, or
/// nullopt if an operand has no such shape.
std::optional<SmallVector<Shape>> operandShapes(Operation *op) {
  RankedTensorType whole = staticType(op->getResult(0));
  auto quantize = dyn_cast<QuantizeLinearOp>(op);
  auto dequantize = dyn_cast<DequantizeLinearOp>(op);
  if (!whole || whole.getRank() <= 2 || (quantize && !scalesByColumn(quantize)) ||
      (dequantize && !scalesByColumn(dequantize))) {
    return std::nullopt;
  }
  SmallVector<Shape> shapes;
  for (Value operand : op->getOperands()) {
    RankedTensorType type = staticType(operand);
    std::optional<Shape> shape =
        type ? operandShape(type.getShape(), whole.getShape()) : std::nullopt;
    if (!shape) {
      return std::nullopt;
    }
    shapes.push_back(*shape);
  }
  return shapes;
}

/// Erases an unused reshape and its shape constant. The constant must be erased
/// too, because `convoy check` compares the last op at each location with the value
/// of the ONNX node.
void eraseView(Operation *view) {
  Operation *shape = cast<ReshapeOp>(view).getShape().getDefiningOp();
  view->erase();
  if (isa_and_nonnull<ConstantOp>(shape) && shape->use_empty()) {
    shape->erase();
  }
}

class ProductLowering {
public:
  /// Replaces a batched product and moves the reshape after it down.
  void run(Operation *op) {
    OpBuilder builder(op);
    TypedBuilder b(builder, op->getLoc());
    Value rows = asMatrix(b, op->getOperand(0));
    Value product;
    if (auto bytes = dyn_cast<ByteMatMulOp>(op)) {
      Value zeroPoint = bytes.getLhsZeroPoint();
      bool isScalar = staticType(zeroPoint).getNumElements() == 1;
      product = b.emit<ByteMatMulOp>(
          rows, bytes.getRhs(), isScalar ? withShape(b, zeroPoint, {}) : asMatrix(b, zeroPoint),
          bytes.getRhsZeroPoint());
    } else {
      product = b.matmul(rows, op->getOperand(1));
    }
    Value view = b.reshape(product, staticType(op->getResult(0)).getShape());
    hasFailed |= b.hasFailed;
    if (auto plain = product.getDefiningOp<MatMulOp>();
        plain && staticType(rows).getElementType().isInteger()) {
      integers.push_back(plain);
    }
    op->replaceAllUsesWith(ValueRange{view});
    op->erase();
    sink(view.getDefiningOp<ReshapeOp>());
  }

  /// Moves the reshapes before integer products up, because Quantize recognizes an
  /// integer product by the cast and the zero point directly before it. Must run
  /// after all products are lowered, because several products may read one operand.
  void finish() {
    for (MatMulOp product : integers) {
      if (auto view = product.getLhs().getDefiningOp<ReshapeOp>()) {
        pending.insert(view);
        raisePending(/*isShared=*/true);
      }
    }
  }

  bool hasFailed = false;

private:
  /// Moves a view of a matrix down past element-wise ops.
  void sink(ReshapeOp view) {
    while (true) {
      joinReshapes(view);
      SmallVector<Operation *> readers = joinedReaders(view);
      if (readers.empty()) {
        break;
      }
      SmallVector<ReshapeOp> views = {view};
      for (Operation *reader : readers) {
        views.push_back(replaceByMatrix(reader, *operandShapes(reader)));
      }
      view = views.pop_back_val();
      llvm::for_each(llvm::reverse(views), eraseView);
    }
    if (view->use_empty()) {
      eraseView(view);
    }
  }

  /// Returns element-wise ops in block order such that only the last one has readers outside, as
  /// in x * sigmoid(x): Fusion puts such ops into the kernel of the product. Returns nothing if
  /// an op on the way cannot compute matrices.
  static SmallVector<Operation *> joinedReaders(ReshapeOp view) {
    auto isEarlier = [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); };
    SmallVector<Operation *> ops;
    llvm::SmallSetVector<Operation *, 4> open;
    Value result = view;
    do {
      for (Operation *reader : result.getUsers()) {
        if (reader->getBlock() != view->getBlock() || !computesMatrix(reader, staticType(view))) {
          return {};
        }
        open.insert(reader);
      }
      if (open.empty() || ops.size() == kMostJoinedReaders) {
        return {};
      }
      ops.push_back(*std::min_element(open.begin(), open.end(), isEarlier));
      open.remove(ops.back());
      result = ops.back()->getResult(0);
    } while (!open.empty());
    return ops;
  }

  /// Returns whether an op is element-wise, has a result of this shape and can compute a matrix.
  static bool computesMatrix(Operation *op, RankedTensorType type) {
    RankedTensorType own = isElementwise(op) ? staticType(op->getResult(0)) : RankedTensorType();
    return own && own.getShape() == type.getShape() && operandShapes(op);
  }

  /// Makes reshapes of a view read the viewed tensor.
  void joinReshapes(ReshapeOp view) {
    for (Operation *user : llvm::make_early_inc_range(view->getUsers())) {
      RankedTensorType type = isa<ReshapeOp>(user) ? staticType(user->getResult(0)) : nullptr;
      if (!type) {
        continue;
      }
      OpBuilder builder(user);
      TypedBuilder b(builder, user->getLoc());
      user->replaceAllUsesWith(ValueRange{withShape(b, view, type.getShape())});
      eraseView(user);
      hasFailed |= b.hasFailed;
    }
  }

  /// Replaces an element-wise op by the same op on matrices. Returns the view of the new
  /// result that the readers see.
  ReshapeOp replaceByMatrix(Operation *op, ArrayRef<Shape> shapes) {
    OpBuilder builder(op);
    TypedBuilder b(builder, op->getLoc());
    Value matrix = onMatrices(b, op, shapes);
    Value view = b.reshape(matrix, staticType(op->getResult(0)).getShape());
    hasFailed |= b.hasFailed;
    op->replaceAllUsesWith(ValueRange{view});
    op->erase();
    raisePending();
    return view.getDefiningOp<ReshapeOp>();
  }

  /// Moves the pending reshapes up past element-wise ops that Fusion puts into the kernel of
  /// their only reader. If `isShared`, also past ops with several readers that are all
  /// reshapes to the same matrix.
  void raisePending(bool isShared = false) {
    while (!pending.empty()) {
      auto view = cast<ReshapeOp>(pending.pop_back_val());
      Operation *source = view.getInput().getDefiningOp();
      auto isAlike = [&](Operation *user) {
        return isa<ReshapeOp>(user) && user->getResult(0).getType() == view.getType();
      };
      bool isRead = isShared ? llvm::all_of(view.getInput().getUsers(), isAlike)
                             : view.getInput().hasOneUse() && view->hasOneUse();
      bool canFollow =
          source && source->getBlock() == view->getBlock() && isElementwise(source) && isRead;
      std::optional<SmallVector<Shape>> shapes = canFollow ? operandShapes(source) : std::nullopt;
      if (!shapes) {
        continue;
      }
      OpBuilder builder(source);
      TypedBuilder b(builder, source->getLoc());
      Value matrix = onMatrices(b, source, *shapes);
      hasFailed |= b.hasFailed;
      for (Operation *user : llvm::make_early_inc_range(source->getUsers())) {
        pending.remove(user);
        user->replaceAllUsesWith(ValueRange{matrix});
        eraseView(user);
      }
      source->erase();
    }
  }

  /// Clones the op for operands of other shapes. Reshapes of operands that are as large as
  /// the result become pending: Fusion puts only the producers of these operands into the
  /// kernel of the op.
  Value onMatrices(TypedBuilder &b, Operation *op, ArrayRef<Shape> shapes) {
    SmallVector<Value> operands;
    for (auto [operand, shape] : llvm::zip(op->getOperands(), shapes)) {
      operands.push_back(withShape(b, operand, shape));
      auto view = operands.back().getDefiningOp<ReshapeOp>();
      if (view && view.getInput() == operand &&
          staticType(operand).getShape() == staticType(op->getResult(0)).getShape()) {
        pending.insert(view);
      }
    }
    Operation *copy = b.builder.clone(*op);
    copy->setOperands(operands);
    if (isa<QuantizeLinearOp, DequantizeLinearOp>(copy)) {
      copy->setAttr("axis", b.builder.getI64IntegerAttr(1));
    }
    copy->getResult(0).setType(b.placeholder());
    return b.infer(copy)->getResult(0);
  }

  static Value asMatrix(TypedBuilder &b, Value value) {
    return withShape(b, value, matrixShape(staticType(value).getShape()));
  }

  /// Returns the elements of a value in another shape. Skips existing reshapes and folds
  /// constants.
  static Value withShape(TypedBuilder &b, Value value, ArrayRef<int64_t> shape) {
    auto view = value.getDefiningOp<ReshapeOp>();
    while (view && staticType(view.getInput()) && staticType(value).getShape() != shape) {
      value = view.getInput();
      view = value.getDefiningOp<ReshapeOp>();
    }
    if (staticType(value).getShape() == shape) {
      return value;
    }
    std::optional<Tensor> tensor = constantValue(value);
    return tensor ? b.constant(tensor->reshaped(shape)) : b.reshape(value, shape);
  }

  SmallVector<MatMulOp> integers;
  llvm::SetVector<Operation *> pending; // reshapes to matrices, to move up
};

struct LowerBatchedProducts : impl::LowerBatchedProductsPassBase<LowerBatchedProducts> {
  void runOnOperation() override {
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isBatched(op)) {
        products.push_back(op);
      }
    });
    ProductLowering lowering;
    for (Operation *product : products) {
      lowering.run(product);
    }
    lowering.finish();
    loweredProducts += products.size();
    if (lowering.hasFailed) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace convoy::simplify
