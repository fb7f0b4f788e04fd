// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between constants of the graph dialect and tensors without copying
// large tensors.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace convoy::graph {

/// Returns an attribute with the tensor's type and elements. Small tensors
/// print as text. Larger tensors become a resource blob that shares the
/// tensor's bytes. A hash of the content names the blob, so equal weights are
/// stored once and names are the same in every run.
mlir::ElementsAttr toElementsAttr(const Tensor &tensor, mlir::MLIRContext *context);

/// Returns the elements of a constant. The result is a view of the blob for a
/// resource.
Tensor toTensor(mlir::ElementsAttr elements);

/// Returns the MLIR type of a tensor in memory.
mlir::RankedTensorType typeOf(const Tensor &tensor, mlir::MLIRContext *context);

/// Returns the value if it is the result of a graph.constant.
std::optional<Tensor> constantValue(mlir::Value value);

/// Builds a graph.constant that is an i64 vector.
mlir::Value intVector(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> values);
mlir::Value constant(mlir::OpBuilder &builder, mlir::Location loc, const Tensor &tensor);

} // namespace convoy::graph
