// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of ONNX ops that Import supports. Each row is in the source file of
// its op family. `convoy ops` prints the table.

#pragma once

#include "Import/NodeContext.h"
#include "llvm/ADT/ArrayRef.h"

namespace convoy::import {

using ImportFunction = mlir::LogicalResult (*)(NodeContext &);

struct OpRow {
  llvm::StringLiteral name;
  ImportFunction import;
  /// The restrictions of the import, printed in the table of supported ops.
  /// Empty if there are none.
  llvm::StringLiteral limits = "";
  /// The operator domain; "" is ai.onnx.
  llvm::StringLiteral domain = "";
  /// Whether compiled code can run the op; else only the reference interpreter can.
  bool runsOnCpu = true;
};

/// The domain of the ops that only ONNX Runtime defines.
inline constexpr llvm::StringLiteral kMicrosoft = "com.microsoft";

/// Restrictions that several families share. Compiled code never accesses
/// memory outside its tensors. It does not report an index out of range,
/// because the check would add a branch per element.
inline constexpr llvm::StringLiteral kWrongReadLimit =
    "an index out of range is an error on the reference interpreter; on host it reads the nearest "
    "valid element";
inline constexpr llvm::StringLiteral kWrongWriteLimit =
    "an index out of range is an error on the reference interpreter; on host it writes nothing";

/// Returns the row of an op, or null.
const OpRow *findOp(llvm::StringRef domain, llvm::StringRef name);

/// Returns all rows, sorted by domain and name.
llvm::ArrayRef<const OpRow *> allOps();

// The rows of each op family.
llvm::ArrayRef<OpRow> activationRows();
llvm::ArrayRef<OpRow> attentionRows();
llvm::ArrayRef<OpRow> blockWeightRows();
llvm::ArrayRef<OpRow> collectionRows();
llvm::ArrayRef<OpRow> controlRows();
llvm::ArrayRef<OpRow> convolutionRows();
llvm::ArrayRef<OpRow> elementwiseRows();
llvm::ArrayRef<OpRow> fusedLayerRows();
llvm::ArrayRef<OpRow> generatorRows();
llvm::ArrayRef<OpRow> groupQueryAttentionRows();
llvm::ArrayRef<OpRow> learningRows();
llvm::ArrayRef<OpRow> lossRows();
llvm::ArrayRef<OpRow> matmulRows();
llvm::ArrayRef<OpRow> multiHeadAttentionRows();
llvm::ArrayRef<OpRow> normalizationRows();
llvm::ArrayRef<OpRow> poolingRows();
llvm::ArrayRef<OpRow> qlinearRows();
llvm::ArrayRef<OpRow> quantizationRows();
llvm::ArrayRef<OpRow> rearrangeRows();
llvm::ArrayRef<OpRow> recurrentRows();
llvm::ArrayRef<OpRow> reductionRows();
llvm::ArrayRef<OpRow> rotaryRows();
llvm::ArrayRef<OpRow> samplingRows();
llvm::ArrayRef<OpRow> selectionRows();
llvm::ArrayRef<OpRow> signalRows();
llvm::ArrayRef<OpRow> skipNormalizationRows();
llvm::ArrayRef<OpRow> tensorRows();
llvm::ArrayRef<OpRow> textRows();
llvm::ArrayRef<OpRow> trainingRows();
llvm::ArrayRef<OpRow> windowRows();

} // namespace convoy::import
