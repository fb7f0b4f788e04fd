// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of ONNX ops that Import knows: one row each, kept in the file of its
// family. `convoy ops` prints it.

#pragma once

#include "Import/NodeContext.h"
#include "llvm/ADT/ArrayRef.h"

namespace convoy::import {

using ImportFunction = mlir::LogicalResult (*)(NodeContext &);

struct OpRow {
  llvm::StringLiteral name;
  ImportFunction import;
  /// What is not supported, for the table of supported ops; empty when nothing.
  llvm::StringLiteral limits = "";
  /// "" is ai.onnx.
  llvm::StringLiteral domain = "";
  /// Whether only the reference can run it.
  bool isReferenceOnly = false;
};

/// Limits that families share. Compiled code stays within its tensors whatever the
/// indices are, but to stop for a wrong one would cost every right one a branch.
inline constexpr llvm::StringLiteral kWrongReadLimit =
    "an index out of range is an error on the reference, on host the nearest one is read";
inline constexpr llvm::StringLiteral kWrongWriteLimit =
    "an index out of range is an error on the reference, on host nothing is written";

/// The row of an op, or null.
const OpRow *findOp(llvm::StringRef domain, llvm::StringRef name);

/// All rows, sorted by domain and name.
llvm::ArrayRef<const OpRow *> allOps();

// One per family.
llvm::ArrayRef<OpRow> activationRows();
llvm::ArrayRef<OpRow> attentionRows();
llvm::ArrayRef<OpRow> collectionRows();
llvm::ArrayRef<OpRow> controlRows();
llvm::ArrayRef<OpRow> convolutionRows();
llvm::ArrayRef<OpRow> elementwiseRows();
llvm::ArrayRef<OpRow> generatorRows();
llvm::ArrayRef<OpRow> learningRows();
llvm::ArrayRef<OpRow> lossRows();
llvm::ArrayRef<OpRow> matmulRows();
llvm::ArrayRef<OpRow> normalizationRows();
llvm::ArrayRef<OpRow> poolingRows();
llvm::ArrayRef<OpRow> quantizationRows();
llvm::ArrayRef<OpRow> rearrangeRows();
llvm::ArrayRef<OpRow> recurrentRows();
llvm::ArrayRef<OpRow> reductionRows();
llvm::ArrayRef<OpRow> samplingRows();
llvm::ArrayRef<OpRow> selectionRows();
llvm::ArrayRef<OpRow> signalRows();
llvm::ArrayRef<OpRow> tensorRows();
llvm::ArrayRef<OpRow> textRows();
llvm::ArrayRef<OpRow> trainingRows();
llvm::ArrayRef<OpRow> windowRows();

} // namespace convoy::import
