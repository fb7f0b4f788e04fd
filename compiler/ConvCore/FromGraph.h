// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph ops to convcore ops one at a time. Placement and the device stage use it; an op that
// cannot be lowered stays on the CPU.

#pragma once

#include "ConvCore/ConvCore.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/BitVector.h"

namespace convoy::convcore {

/// Attribute of a convcore op: the numbers of the graph ops that it computes, ascending.
constexpr llvm::StringLiteral kNodesAttr = "convcore.nodes";

/// Returns the node numbers of an op, or an empty list.
llvm::ArrayRef<int64_t> nodesOf(mlir::Operation *op);

/// Sets the node numbers of `to` to the union of its own and those of `from`.
void joinNodes(mlir::Operation *to, llvm::ArrayRef<mlir::Operation *> from);

/// Emits the convcore ops of a graph op, numbered `node`, and maps its results. Non-constant
/// operands must be mapped already. Returns an empty string, or the reason why the op cannot be
/// lowered, worded for users. In that case no op has been emitted.
std::string lowerFromGraph(mlir::Operation *op, int64_t node, mlir::IRMapping &mapping,
                           mlir::OpBuilder &builder);

} // namespace convoy::convcore
