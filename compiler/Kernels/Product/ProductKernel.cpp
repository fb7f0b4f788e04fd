// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the kernels of the template `product`. A transpose of an operand permutes strides; a
// transpose of the result permutes the coordinates of the epilogue.

#include "Kernels/Product/ProductKernel.h"
#include "Graph/OpFacts.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

using Strides = SmallVector<int64_t>;

/// The panel of a deeper product would need too much scratch memory.
constexpr int64_t kMostDepth = 1 << 16;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Strides rowMajor(ArrayRef<int64_t> shape) {
  Strides strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return strides;
}

bool isF32(Value value) { return cast<TensorType>(value.getType()).getElementType().isF32(); }

bool isSupportedFloat(Value value) {
  Type type = cast<TensorType>(value.getType()).getElementType();
  return type.isF32() || type.isF16() || type.isBF16();
}

/// Returns the argument that an operand of the product reads, through transposes, with the stride
/// of each dimension of the operand. Returns null if another op computes the operand.
BlockArgument traceOperand(Value operand, Strides &strides) {
  if (auto transpose = operand.getDefiningOp<graph::TransposeOp>()) {
    Strides input;
    BlockArgument source = traceOperand(transpose.getInput(), input);
    if (source) {
      for (int64_t from : transpose.getPerm()) {
        strides.push_back(input[from]);
      }
    }
    return source;
  }
  auto argument = dyn_cast<BlockArgument>(operand);
  if (argument) {
    strides = rowMajor(shapeOf(argument));
  }
  return argument;
}

/// Finds the product. Returns the reason why the kernel has none, or an empty string.
std::string findProduct(Block &body, ProductKernel &product) {
  for (Operation &op : body.without_terminator()) {
    if (auto found = dyn_cast<graph::MatMulOp>(op)) {
      if (product.op) {
        return "the kernel has several convolutions or products";
      }
      product.op = found;
    }
  }
  if (!product.op) {
    return "the kernel is not a product of matrices";
  }
  auto isPlanar = [](Value value) { return !graph::layoutOf(value.getType()); };
  if (!llvm::all_of(body.getArguments(), isPlanar) ||
      !llvm::all_of(body.getTerminator()->getOperands(), isPlanar)) {
    return "the template expects planar tensors";
  }
  if (body.getTerminator()->getNumOperands() != 1) {
    return "the kernel has several results";
  }
  bool isOfFloats = isSupportedFloat(product.op.getLhs()) && isSupportedFloat(product.op.getRhs());
  return isOfFloats ? "" : "the product does not multiply f32, f16 or bf16";
}

/// Returns the strides of an operand along the batch dimensions of the product.
Strides batchStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, size_t batch) {
  size_t own = shape.size() > 2 ? shape.size() - 2 : 0;
  Strides result(batch, 0);
  for (size_t i = 0; i < own; ++i) {
    result[batch - own + i] = shape[i] == 1 ? 0 : strides[i];
  }
  return result;
}

std::string setFactors(ProductKernel &p) {
  Strides left, right;
  BlockArgument lhs = traceOperand(p.op.getLhs(), left);
  BlockArgument rhs = traceOperand(p.op.getRhs(), right);
  if (!lhs || !rhs) {
    return "another op of the kernel computes an operand of the convolution or product";
  }
  p.left = lhs.getArgNumber();
  p.right = rhs.getArgNumber();
  p.isLeftF32 = isF32(lhs);
  p.isRightF32 = isF32(rhs);
  ArrayRef<int64_t> leftShape = shapeOf(p.op.getLhs()), rightShape = shapeOf(p.op.getRhs());
  ArrayRef<int64_t> shape = shapeOf(p.op.getResult());
  bool hasRows = leftShape.size() > 1, hasColumns = rightShape.size() > 1;
  size_t batch = shape.size() - (hasRows ? 1 : 0) - (hasColumns ? 1 : 0);
  p.batch.assign(shape.begin(), shape.begin() + static_cast<int64_t>(batch));
  p.leftBatch = batchStrides(leftShape, left, batch);
  p.rightBatch = batchStrides(rightShape, right, batch);
  p.depth = leftShape.back();
  p.leftDepth = left.back();
  p.rightDepth = hasColumns ? right[right.size() - 2] : right.back();
  if (hasRows) {
    p.rowDim = static_cast<int64_t>(batch);
    p.rows = shape[batch];
    p.leftRow = left[left.size() - 2];
  }
  if (hasColumns) {
    p.columnDim = static_cast<int64_t>(shape.size()) - 1;
    p.columns = shape.back();
    p.rightColumn = right.back();
  }
  if (p.depth > kMostDepth) {
    return "the product sums " + std::to_string(p.depth) +
           " elements, the template expects at most " + std::to_string(kMostDepth);
  }
  return p.multiplications() == 0 ? "a tensor is empty" : "";
}

/// Computes the order of dimensions of every value that depends on the product. Returns the reason
/// why the template does not support the ops after the product, or an empty string.
std::string setEpilogue(Block &body, ProductKernel &p) {
  llvm::DenseMap<Value, Strides> orders;
  auto rank = static_cast<int64_t>(shapeOf(p.op.getResult()).size());
  orders[p.op.getResult()] = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  for (Operation &op : body.without_terminator()) {
    auto transpose = dyn_cast<graph::TransposeOp>(op);
    bool isElementwise = graph::classify(&op) == graph::OpClass::Elementwise;
    if (!isa<graph::MatMulOp, graph::ConstantOp>(op) && !transpose && !isElementwise) {
      return "the kernel also computes " + op.getName().stripDialect().str() +
             ", which is not element-wise";
    }
    std::optional<Strides> order;
    for (Value operand : op.getOperands()) {
      auto it = orders.find(operand);
      if (it == orders.end()) {
        continue;
      }
      bool isSame = transpose || (shapeOf(operand) == shapeOf(op.getResult(0)));
      if (!isSame || (order && *order != it->second)) {
        return "an op after the product reads it in two orders or broadcasts it";
      }
      order = it->second;
    }
    if (order && transpose) {
      Strides input = *order;
      for (auto [i, from] : llvm::enumerate(transpose.getPerm())) {
        (*order)[i] = input[from];
      }
    }
    if (order) {
      orders[op.getResult(0)] = *order;
      p.epilogueOps += transpose ? 0 : 1;
    }
  }
  auto it = orders.find(body.getTerminator()->getOperand(0));
  if (it == orders.end()) {
    return "the result of the kernel does not depend on the product";
  }
  p.order = it->second;
  return "";
}

/// Lets lanes run along the dimension in which the result is contiguous.
void chooseLanes(Block &body, ProductKernel &p) {
  Strides strides = rowMajor(shapeOf(body.getTerminator()->getOperand(0)));
  auto strideOf = [&](int64_t dim) {
    const auto *it = llvm::find(p.order, dim);
    return it == p.order.end() ? 0 : strides[it - p.order.begin()];
  };
  int64_t row = strideOf(p.rowDim), column = strideOf(p.columnDim);
  bool isColumnContiguous = p.columns > 1 && column == 1;
  if (!isColumnContiguous && p.rows > 1 && row == 1) {
    std::swap(p.left, p.right);
    std::swap(p.isLeftF32, p.isRightF32);
    std::swap(p.rows, p.columns);
    std::swap(p.rowDim, p.columnDim);
    std::swap(p.leftBatch, p.rightBatch);
    std::swap(p.leftRow, p.rightColumn);
    std::swap(p.leftDepth, p.rightDepth);
    column = row;
  }
  p.resultColumn = column;
}

} // namespace

int64_t ProductKernel::batches() const { return elementCount(batch).value_or(0); }

std::string matchProduct(Block &body, ProductKernel &product) {
  std::string reason = findProduct(body, product);
  reason = reason.empty() ? setFactors(product) : reason;
  reason = reason.empty() ? setEpilogue(body, product) : reason;
  if (reason.empty()) {
    chooseLanes(body, product);
  }
  return reason;
}

} // namespace convoy::kernels
