// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes nodes from a failing model: finds the part that fails, removes nodes one group at a time,
// and connects the nodes around a removed node. ReduceModel.cpp calls these steps in order.

#pragma once

#include "reduce/NodeGraph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::reduce {

using Fails = llvm::function_ref<bool(const onnx::ModelProto &)>;
using SubsetFails = llvm::function_ref<bool(llvm::ArrayRef<size_t>)>;

/// Delta debugging: returns a part of a failing set that still fails and of which no single element
/// can be removed. Tries parts and complements of n equal groups, with n doubling after each round
/// without success.
NodeSet minimizeSet(NodeSet nodes, SubsetFails fails);

/// Returns the nodes and growing neighborhoods of them, until one fails. Returns nothing if none of
/// them fails.
std::optional<NodeSet> growUntilFailure(const NodeGraph &graph, NodeSet nodes, SubsetFails fails);

/// Returns the shortest failing prefix of the nodes, and of it the shortest failing suffix, by two
/// binary searches. If removing nodes hides a failure that fewer nodes show again, the result is
/// longer than necessary.
NodeSet bisect(NodeSet nodes, SubsetFails fails);

/// Removes single nodes of a failing model whose result has the type of an operand: readers of the
/// result then read the operand. Returns whether the model changed.
bool bypassNodes(onnx::ModelProto &model, const ValueFacts &facts, Fails fails);

/// Removes outputs that a node reads, too. Returns whether the model changed.
bool dropOutputs(onnx::ModelProto &model, Fails fails);

} // namespace convoy::reduce
