// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds graph ops in rewrites. The builder infers the types of each new op and
// gives it the location of the op that it replaces. Example:
//
//     Value shifted = b.sub(x, b.reduce(ReduceKind::Max, x, {axis}));

#pragma once

#include "Graph/Constant.h"
#include "Graph/Graph.h"

namespace convoy::graph {

class TypedBuilder {
public:
  TypedBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  /// Creates an op with one result. A failing type rule is a bug in the
  /// rewrite; it emits an error and sets `hasFailed`.
  template <typename OpT, typename... Args>
  mlir::Value emit(Args &&...args) {
    return infer(builder.create<OpT>(loc, placeholder(), std::forward<Args>(args)...))
        ->getResult(0);
  }
  /// Infers the result types of a new op from its operands and constants.
  mlir::Operation *infer(mlir::Operation *op) {
    Knowledge knowledge;
    hasFailed |= mlir::failed(inferResultTypes(op, knowledge));
    return op;
  }
  mlir::Type placeholder() const {
    return mlir::UnrankedTensorType::get(mlir::NoneType::get(builder.getContext()));
  }

  ElementType element(mlir::Value x) const {
    return fromMlir(mlir::cast<mlir::TensorType>(x.getType()).getElementType());
  }
  mlir::Value constant(const Tensor &tensor) { return graph::constant(builder, loc, tensor); }
  mlir::Value ints(llvm::ArrayRef<int64_t> values) { return intVector(builder, loc, values); }
  /// Returns a rank-0 constant of the element type of `like`.
  mlir::Value scalarLike(mlir::Value like, double value) {
    return constant(Tensor::scalar(element(like), value));
  }

  /// Returns 0, 1, ... `count` - 1 as i64 in a shape of `count` elements.
  mlir::Value iota(int64_t count, llvm::ArrayRef<int64_t> shape) {
    auto scalar = [&](int64_t value) { return constant(Tensor::scalar(ElementType::I64, value)); };
    return reshape(emit<RangeOp>(scalar(0), scalar(count), scalar(1)), shape);
  }

  mlir::Value unary(UnaryKind kind, mlir::Value x) { return emit<UnaryOp>(kind, x); }
  mlir::Value binary(BinaryKind kind, mlir::Value a, mlir::Value b) {
    return emit<BinaryOp>(kind, a, b);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) { return binary(BinaryKind::Add, a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return binary(BinaryKind::Sub, a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return binary(BinaryKind::Mul, a, b); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return binary(BinaryKind::Div, a, b); }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return emit<SelectOp>(condition, a, b);
  }
  mlir::Value matmul(mlir::Value a, mlir::Value b) { return emit<MatMulOp>(a, b); }
  /// Reduces over `axes` and keeps the reduced dimensions with size 1.
  mlir::Value reduce(ReduceKind kind, mlir::Value x, llvm::ArrayRef<int64_t> axes) {
    return emit<ReduceOp>(kind, x, ints(axes), /*keepDims=*/true, /*noopWithEmptyAxes=*/true);
  }
  /// Returns `x` itself if it already has the type.
  mlir::Value cast(mlir::Value x, ElementType to) {
    return element(x) == to ? x
                            : emit<CastOp>(x, toMlir(to, builder.getContext()),
                                           /*saturate=*/true, RoundMode::Up);
  }
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape) {
    return emit<ReshapeOp>(x, ints(shape), /*allowZero=*/true);
  }
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm) {
    return emit<TransposeOp>(x, perm);
  }
  mlir::Value slice(mlir::Value x, int64_t axis, int64_t begin, int64_t end) {
    return emit<SliceOp>(x, ints({begin}), ints({end}), ints({axis}), mlir::Value());
  }
  mlir::Value concat(mlir::ValueRange values, int64_t axis) {
    return values.size() == 1 ? values.front() : emit<ConcatOp>(values, axis);
  }

  mlir::OpBuilder &builder;
  const mlir::Location loc;
  bool hasFailed = false;
};

} // namespace convoy::graph
