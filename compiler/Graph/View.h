// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views: values that share the bytes of another tensor under a different type.

#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace convoy::graph {

class TransposeOp;

/// Returns the tensor whose bytes a value shares. A reshape is a view of its
/// operand, and so are a reorder and a transpose outside a kernel.
mlir::Value viewedTensor(mlir::Value value);

/// The layouts of the operand and the result of an op; null is planar.
struct ViewLayouts {
  mlir::Attribute input, result;
};

/// Returns the layouts with which operand and result of a transpose have the
/// same bytes, or nullopt if no layouts do. One block of all channels stores
/// the channels innermost, so a transpose of the channels to or from the last
/// dimension is a view:
///
///     tensor<1x8x8x3xi8>  and  tensor<1x3x8x8xi8, #graph.blocked<c = 3>>
std::optional<ViewLayouts> layoutsOfView(TransposeOp transpose);

/// Returns whether operand and result of a transpose have the same bytes.
bool isView(TransposeOp transpose);

} // namespace convoy::graph
