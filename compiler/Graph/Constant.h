// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of the graph dialect as tensors, and back, without copying large
// ones.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace convoy::graph {

/// An attribute of the tensor's type and elements. Small tensors print as text;
/// larger ones share the tensor's bytes as a resource blob named by content, so
/// equal weights are stored once and names do not depend on the run.
mlir::ElementsAttr toElementsAttr(const Tensor &tensor, mlir::MLIRContext *context);

/// The elements of a constant: a view of the blob for a resource.
Tensor toTensor(mlir::ElementsAttr elements);

/// The tensor type of a tensor in memory.
mlir::RankedTensorType typeOf(const Tensor &tensor, mlir::MLIRContext *context);

/// The value, if it is the result of a graph.constant.
std::optional<Tensor> constantValue(mlir::Value value);

/// Builds a graph.constant of an i64 vector (or scalar).
mlir::Value intVector(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> values);
mlir::Value constant(mlir::OpBuilder &builder, mlir::Location loc, const Tensor &tensor);

} // namespace convoy::graph
