// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the import functions of domain ai.onnx.ml, and what its classifiers and
// regressors share: features, class labels and transforms of scores. Where ONNX
// leaves a result open, the functions follow ONNX Runtime.

#pragma once

#include "Graph/Forest.h"
#include "Import/NodeContext.h"

namespace convoy::import {

/// Returns input 0 as a matrix of f32 with one row per sample. A vector is one row.
/// Emits an error if the rank is not 1 or 2, or if the type is not an ONNX type of
/// features.
mlir::FailureOr<mlir::Value> featureMatrix(NodeContext &n);

/// Checks the rank and the element type of input 0 as featureMatrix does.
mlir::LogicalResult checkFeatures(NodeContext &n);

/// Returns `values` as a constant of shape rows x columns and type f32.
mlir::Value matrixConstant(NodeContext &n, llvm::ArrayRef<double> values, int64_t rows,
                           int64_t columns);

/// Reads a list of floats, or the tensor attribute with the suffix _as_tensor.
llvm::SmallVector<double> numbersAttr(NodeContext &n, llvm::StringRef name);

/// Returns the index of the word in `words`. Emits an error that lists the words.
mlir::FailureOr<int64_t> wordAttr(NodeContext &n, llvm::StringRef name, llvm::StringRef otherwise,
                                  llvm::ArrayRef<llvm::StringRef> words);

//===-- Labels (LearningLabels.cpp) -----------------------------------------===//

/// The labels of a classifier. Exactly one of the lists has entries.
struct ClassLabels {
  Shape ints;
  std::vector<std::string> strings;
  int64_t count() const { return static_cast<int64_t>(ints.size() + strings.size()); }
};

/// Reads classlabels_strings and `intsName`. Emits an error unless one of them has
/// entries.
mlir::FailureOr<ClassLabels> classLabels(NodeContext &n, llvm::StringRef intsName);

/// Maps class indices, one i64 per row, to labels.
mlir::Value labelsAt(NodeContext &n, const ClassLabels &labels, mlir::Value index);

Tensor stringTensor(const std::vector<std::string> &strings);

//===-- Scores (LearningScores.cpp) -----------------------------------------===//

using PostTransform = graph::TreePostTransform;

mlir::FailureOr<PostTransform> postTransformAttr(NodeContext &n);

/// Transforms scores with two columns or more.
mlir::Value transformScores(NodeContext &n, mlir::Value scores, PostTransform transform);

/// Transforms scores with one column, to which only PROBIT applies in ONNX Runtime.
mlir::Value transformColumn(NodeContext &n, mlir::Value score, PostTransform transform);

/// Expands a column s of scores of two classes to (1 - s, s), or to (-s, s) if the
/// weights are mixed in sign. LOGISTIC gives the logistic function of (-s, s).
mlir::FailureOr<mlir::Value> twoClassScores(NodeContext &n, mlir::Value score, bool isMixed,
                                            PostTransform transform);

/// Returns the index of the first of the largest scores in each row, as i64.
mlir::Value indexOfLargest(NodeContext &n, mlir::Value scores);

//===-- Import functions ----------------------------------------------------===//

mlir::LogicalResult importArrayFeatureExtractor(NodeContext &n);
mlir::LogicalResult importBinarizer(NodeContext &n);
mlir::LogicalResult importFeatureVectorizer(NodeContext &n);
mlir::LogicalResult importImputer(NodeContext &n);
mlir::LogicalResult importLabelEncoder(NodeContext &n);
mlir::LogicalResult importLinearClassifier(NodeContext &n);
mlir::LogicalResult importLinearRegressor(NodeContext &n);
mlir::LogicalResult importNormalizer(NodeContext &n);
mlir::LogicalResult importOneHotEncoder(NodeContext &n);
mlir::LogicalResult importScaler(NodeContext &n);
mlir::LogicalResult importSVMClassifier(NodeContext &n);
mlir::LogicalResult importSVMRegressor(NodeContext &n);
mlir::LogicalResult importTreeEnsemble(NodeContext &n);
mlir::LogicalResult importTreeEnsembleClassifier(NodeContext &n);
mlir::LogicalResult importTreeEnsembleRegressor(NodeContext &n);
mlir::LogicalResult importZipMap(NodeContext &n);

} // namespace convoy::import
