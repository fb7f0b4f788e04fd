// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph ops as convcore ops, one op at a time. What has no form here stays on the CPU.

#pragma once

#include "Accelerators/ConvCore/ConvCore.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/BitVector.h"

namespace convoy::convcore {

/// On a convcore op: the numbers of the graph ops that it computes, ascending.
constexpr llvm::StringLiteral kNodesAttr = "convcore.nodes";

/// The numbers on an op; none where it has none.
llvm::ArrayRef<int64_t> nodesOf(mlir::Operation *op);

/// Puts the union of the numbers of `from` on `to`.
void joinNodes(mlir::Operation *to, llvm::ArrayRef<mlir::Operation *> from);

/// Emits the convcore form of a graph op and maps its results, numbered `node`.
/// Operands are mapped already; constants need not be. Returns why there is no such
/// form, in words for users, or an empty text. On a refusal nothing is left behind.
std::string lowerFromGraph(mlir::Operation *op, int64_t node, mlir::IRMapping &mapping,
                           mlir::OpBuilder &builder);

} // namespace convoy::convcore
