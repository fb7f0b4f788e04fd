// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of sequences and optionals: which tensors they hold. The importer
// replaces a collection of known form by its tensors.

#pragma once

#include "Import/NodeContext.h"

namespace convoy::import {

/// A sequence or loop with more steps stays one op, because one value per step
/// would make the graph too large.
inline constexpr int64_t kMaxListedParts = 256;

/// Returns whether a type is a sequence or an optional.
bool isCollection(mlir::Type type);

/// Returns the elements of a sequence that an op of this graph constructs, or
/// nullopt if the elements are unknown.
std::optional<llvm::SmallVector<mlir::Value>> elementsOf(mlir::Value sequence);

/// Returns whether the tensors in a value are known. A tensor has a known form.
bool hasKnownForm(mlir::Value value);

/// Returns whether both values are collections of the same known form.
bool haveSameForm(mlir::Value a, mlir::Value b);

/// Appends the tensors in a value of known form.
void appendTensors(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &tensors);

/// Returns a value with the form of `like` that holds the first of the tensors, and
/// removes these from the list.
mlir::Value takeForm(NodeContext &n, mlir::Value like, llvm::ArrayRef<mlir::Value> &tensors);

/// Concatenates values of known rank, or stacks values of static shape along a new
/// axis. Returns null if a rank or shape is unknown.
mlir::Value joinValues(NodeContext &n, llvm::SmallVector<mlir::Value> values, int64_t axis,
                       bool isNewAxis);

} // namespace convoy::import
