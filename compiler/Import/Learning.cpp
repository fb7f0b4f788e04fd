// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the ops of domain ai.onnx.ml, and attribute access that they share.
// The import functions are in Learning*.cpp, with one subject per file.

#include "Import/Learning.h"
#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

LogicalResult checkFeatures(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  FailureOr<int64_t> rank = n.rank(n.input(0));
  if (failed(rank)) {
    return failure();
  }
  if (*rank != 1 && *rank != 2) {
    return n.error() << "expects features of shape [F] or [N, F], got " << n.input(0).getType();
  }
  ElementType type = n.element(n.input(0));
  if (type != ElementType::F32 && type != ElementType::F64 && type != ElementType::I32 &&
      type != ElementType::I64) {
    return n.error() << "expects features of type float32, float64, int32 or int64, got "
                     << n.input(0).getType() << "; insert a Cast before the node";
  }
  return success();
}

FailureOr<Value> featureMatrix(NodeContext &n) {
  if (failed(checkFeatures(n))) {
    return failure();
  }
  bool isVector = cast<RankedTensorType>(n.input(0).getType()).getRank() == 1;
  Value x = n.cast(n.input(0), ElementType::F32);
  x = isVector ? n.reshape(x, {1, -1}) : x;
  return n.hasFailed ? FailureOr<Value>(failure()) : x;
}

Value matrixConstant(NodeContext &n, ArrayRef<double> values, int64_t rows, int64_t columns) {
  Tensor tensor(ElementType::F32, {rows, columns});
  for (auto [i, value] : llvm::enumerate(values)) {
    tensor.setDouble(i, value);
  }
  return n.constant(tensor);
}

SmallVector<double> numbersAttr(NodeContext &n, StringRef name) {
  std::string wide = (name + "_as_tensor").str();
  if (!n.hasAttr(wide)) {
    return n.floatsAttr(name);
  }
  std::optional<Tensor> tensor = n.tensorAttr(wide);
  SmallVector<double> values;
  if (tensor && !isFloat(tensor->type())) {
    n.error() << "has attribute '" << wide << "' of type " << convoy::name(tensor->type())
              << ", expected float32 or float64";
    return values;
  }
  for (int64_t i = 0; tensor && i < tensor->size(); ++i) {
    values.push_back(tensor->asDouble(i));
  }
  return values;
}

FailureOr<int64_t> wordAttr(NodeContext &n, StringRef name, StringRef otherwise,
                            ArrayRef<StringRef> words) {
  std::string word = n.stringAttr(name, otherwise);
  const auto *found = llvm::find(words, StringRef(word));
  if (found != words.end()) {
    return found - words.begin();
  }
  return FailureOr<int64_t>(n.error() << "has attribute '" << name << "' = '" << word
                                      << "', expected one of " << llvm::join(words, ", "));
}

llvm::ArrayRef<OpRow> learningRows() {
  static constexpr llvm::StringLiteral kDomain = "ai.onnx.ml";
  static constexpr llvm::StringLiteral kDepthLimit = "host: trees of at most 64 levels";
  static constexpr llvm::StringLiteral kEnsembleLimits =
      "host: trees of at most 64 levels and no 'post_transform' 4 (PROBIT)";
  static constexpr llvm::StringLiteral kClassifierLimits =
      "no 'post_transform' PROBIT for two classes with one score; with 'classlabels_strings', "
      "compiled code returns the index of a label in the list of the header; models in memory "
      "return strings";
  static constexpr llvm::StringLiteral kTreeClassifierLimits =
      "no 'post_transform' PROBIT for two classes with one score; with two classes and one base "
      "value, leaves must score class 1 in all trees or in none; with 'classlabels_strings', "
      "compiled code returns the index of a label in the list of the header; models in memory "
      "return strings; host: trees of at most 64 levels";
  static const OpRow kRows[] = {
      {"ArrayFeatureExtractor", importArrayFeatureExtractor, kWrongReadLimit, kDomain},
      {"Binarizer", importBinarizer, "", kDomain},
      {"FeatureVectorizer", importFeatureVectorizer, "requires a static number of features",
       kDomain},
      {"Imputer", importImputer, "", kDomain},
      {"LabelEncoder", importLabelEncoder, "host: no strings in inputs of the model", kDomain},
      {"LinearClassifier", importLinearClassifier, kClassifierLimits, kDomain},
      {"LinearRegressor", importLinearRegressor, "", kDomain},
      {"Normalizer", importNormalizer, "", kDomain},
      {"OneHotEncoder", importOneHotEncoder,
       "an element outside of the categories gives zeros even if 'zeros' is 0; host: no strings "
       "in inputs of the model",
       kDomain},
      {"SVMClassifier", importSVMClassifier, kClassifierLimits, kDomain},
      {"SVMRegressor", importSVMRegressor, "", kDomain},
      {"Scaler", importScaler, "", kDomain},
      {"TreeEnsemble", importTreeEnsemble, kEnsembleLimits, kDomain},
      {"TreeEnsembleClassifier", importTreeEnsembleClassifier, kTreeClassifierLimits, kDomain},
      {"TreeEnsembleRegressor", importTreeEnsembleRegressor, kDepthLimit, kDomain},
      {"ZipMap", importZipMap, "the result is the tensor of scores instead of a sequence of maps",
       kDomain},
  };
  return kRows;
}

} // namespace convoy::import
