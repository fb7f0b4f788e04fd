// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds convcore ops for lowerings and rewrites. Each op gets its inferred type and the numbers of
// the graph ops that it computes.

#pragma once

#include "ConvCore/ConvCore.h"
#include "ConvCore/FromGraph.h"
#include "Graph/Constant.h"
#include "mlir/IR/IRMapping.h"

namespace convoy::convcore {

/// The window of a convolution; pads are top, left, bottom, right.
struct LayerWindow {
  llvm::ArrayRef<int64_t> strides;
  llvm::ArrayRef<int64_t> pads;
  llvm::ArrayRef<int64_t> dilations;
  int64_t groups = 1;
};

/// Returns the transposed matrix.
Tensor transposed(const Tensor &matrix);

class LayerBuilder {
public:
  /// Gives the ops the number `node` and looks up operands of graph ops in `mapping`.
  LayerBuilder(mlir::OpBuilder &builder, mlir::Location loc, int64_t node, mlir::IRMapping &mapping)
      : builder(builder), loc(loc), nodes({node}), mapping(&mapping) {}
  /// Inserts the ops before `op`, which they replace, and gives them its numbers.
  LayerBuilder(mlir::OpBuilder &builder, mlir::Operation *op)
      : builder(builder), loc(op->getLoc()), nodes(nodesOf(op)) {
    builder.setInsertionPoint(op);
  }

  mlir::MLIRContext *context() const { return builder.getContext(); }
  Shape shapeOf(mlir::Value value) const {
    return Shape(mlir::cast<mlir::RankedTensorType>(value.getType()).getShape());
  }
  ElementType elementOf(mlir::Value value) const {
    return fromMlir(mlir::cast<mlir::TensorType>(value.getType()).getElementType());
  }

  /// Returns the convcore value of a graph value; clones a constant.
  mlir::Value operand(mlir::Value value);
  std::optional<Tensor> constantOf(mlir::Value value) const {
    return value ? graph::constantValue(value) : std::nullopt;
  }
  /// Maps the result of a graph op and returns an empty string, the return value of a successful
  /// lowering.
  std::string set(mlir::Value result, mlir::Value value);

  template <typename OpT, typename... Args>
  mlir::Value emit(Args &&...args) {
    return infer(builder.create<OpT>(loc, placeholder(), std::forward<Args>(args)...));
  }
  mlir::Value constant(const Tensor &tensor) { return graph::constant(builder, loc, tensor); }

  mlir::Value conv(mlir::Value x, const Tensor &weight, const std::optional<Tensor> &bias,
                   const LayerWindow &window, ActAttr activation = {});
  /// Reshapes x to rows x K and multiplies it with the transpose of `weight`, N x K.
  mlir::Value fullyConnected(mlir::Value x, const Tensor &weight,
                             const std::optional<Tensor> &bias);
  mlir::Value eltwise(EltwiseKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value scale(mlir::Value x, const Tensor &scale, const std::optional<Tensor> &bias);
  mlir::Value prelu(mlir::Value x, const Tensor &slope);
  mlir::Value activation(mlir::Value x, ActAttr activation);
  mlir::Value pool(PoolKind kind, mlir::Value x, llvm::ArrayRef<int64_t> kernel,
                   llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> pads,
                   bool countIncludePad, int64_t inputZeroPoint = 0, RequantAttr requant = {});
  /// Returns x itself if it already has this shape.
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);

private:
  mlir::Type placeholder() const;
  mlir::Value infer(mlir::Operation *op);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<int64_t> nodes;
  mlir::IRMapping *mapping = nullptr;
};

} // namespace convoy::convcore
