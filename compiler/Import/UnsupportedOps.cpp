// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The remedies for unsupported operators. UnsupportedOps.inc assigns them to operators; kDomains
// assigns them to the other operators of a domain.

#include "Import/UnsupportedOps.h"
#include "Import/OpTable.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::import {
namespace {

using llvm::StringLiteral;
using llvm::StringRef;

constexpr StringLiteral kContiguousCache = "export the model with a contiguous key-value cache";
constexpr StringLiteral kInference =
    "export the model for inference, in evaluation mode and without gradients";
constexpr StringLiteral kLabelEncoder =
    "export the model with opset 2 or newer of ai.onnx.ml, which maps labels with LabelEncoder";
constexpr StringLiteral kNBits =
    "quantize the weights with MatMulNBitsQuantizer of ONNX Runtime instead";
constexpr StringLiteral kNoBiasAdd =
    "run the transformer optimizer of ONNX Runtime with --disable_bias_add";
constexpr StringLiteral kNoBiasSplitGelu =
    "run the transformer optimizer of ONNX Runtime with --disable_bias_splitgelu";
constexpr StringLiteral kNoDynamicLstm =
    "leave LSTM out of 'op_types_to_quantize' of quantize_dynamic";
constexpr StringLiteral kNoGroupNorm =
    "run the transformer optimizer of ONNX Runtime with --disable_group_norm";
constexpr StringLiteral kNoMaskedAttention =
    "convert the model without --use_decoder_masked_attention";
constexpr StringLiteral kNoPacking = "use the model from before its conversion to packed sequences";
constexpr StringLiteral kNoSkipGroupNorm =
    "run the transformer optimizer of ONNX Runtime with --disable_skip_group_norm";
constexpr StringLiteral kOldOpset =
    "ONNX removed this operator: export the model again with opset 13 or newer";
constexpr StringLiteral kPlainAttention =
    "export attention as MatMul, Softmax and MatMul, without fusing it";
constexpr StringLiteral kPlainGraph =
    "save the model without the optimizations of ONNX Runtime (ORT_DISABLE_ALL), or use the model "
    "from before them";
constexpr StringLiteral kPlainOps =
    "export its computation with operators that `convoy ops` lists, as a function of the model, or "
    "as a custom op (--custom-ops)";
constexpr StringLiteral kPreprocessing =
    "run this step before or after the model, and export the network alone";
constexpr StringLiteral kQdq =
    "quantize the model with quant_format=QuantFormat.QDQ of ONNX Runtime";
constexpr StringLiteral kSearch =
    "export the network alone, and write the search in the program that calls it";
constexpr StringLiteral kSourceModel =
    "use the model from before its conversion for another compiler or device";
constexpr StringLiteral kStandardLayout = "save the model with ORT_ENABLE_EXTENDED or fewer "
                                          "optimizations, which keep the layouts of ONNX";
constexpr StringLiteral kStandardOp =
    "export the model with opset 20 or newer, where ai.onnx has this operator";
constexpr StringLiteral kTensorFeatures =
    "export the model with a tensor of features as its input instead of a map";
constexpr StringLiteral kTorchOps =
    "export the model with torch.onnx.export(..., dynamo=True), which writes operators of ONNX";
constexpr StringLiteral kWholeFunctions =
    "export the model again with the bodies of its functions, which this file lacks";

constexpr UnsupportedOp kOps[] = {
#include "Import/UnsupportedOps.inc"
};

/// The remedy for the operators of a domain that have no row. A domain that ends in "." stands for
/// all domains that begin with it.
constexpr std::pair<StringLiteral, StringLiteral> kDomains[] = {
    {"ai.onnx.contrib", kPreprocessing},
    {"ai.onnx.preview.training", kInference},
    {"ai.onnx.training", kInference},
    {"aten", kTorchOps},
    {"com.microsoft", kPlainGraph},
    {"com.microsoft.extensions", kPreprocessing},
    {"com.microsoft.nchwc", kStandardLayout},
    {"com.ms.internal.nhwc", kStandardLayout},
    {"org.pytorch.", kTorchOps},
    {"pkg.", kWholeFunctions},
    {"prim", kTorchOps},
};

StringRef remedyForDomain(StringRef domain) {
  for (const auto &[known, remedy] : kDomains) {
    if (domain == known || (known.ends_with(".") && domain.starts_with(known))) {
      return remedy;
    }
  }
  return kPlainOps;
}

/// Returns the supported operator with the same name in another domain, ai.onnx first, or null.
const OpRow *sameName(StringRef name) {
  const OpRow *inOnnx = findOp("", name);
  const auto *found = llvm::find_if(allOps(), [&](const OpRow *row) { return row->name == name; });
  return inOnnx ? inOnnx : found == allOps().end() ? nullptr : *found;
}

/// Returns the operator of the same domain whose name differs in one letter or in the case of
/// letters, or null. A greater distance finds unrelated operators, such as Scatter for Scaler.
const OpRow *misspelled(StringRef domain, StringRef name) {
  // A change of one letter makes another word of a short name.
  constexpr size_t kLeastLength = 4;
  for (const OpRow *row : allOps()) {
    bool isNear = name.size() >= kLeastLength &&
                  StringRef(row->name).edit_distance(name, /*AllowReplacements=*/true, 1) <= 1;
    if (row->domain == domain && (isNear || row->name.equals_insensitive(name))) {
      return row;
    }
  }
  return nullptr;
}

} // namespace

llvm::ArrayRef<UnsupportedOp> unsupportedOps() { return kOps; }

std::string qualifiedName(StringRef domain, StringRef name) {
  return ((domain.empty() ? "ai.onnx" : domain) + "." + name).str();
}

OpAdvice adviceFor(StringRef domain, StringRef name) {
  const auto *row = llvm::find_if(
      kOps, [&](const UnsupportedOp &op) { return op.domain == domain && op.name == name; });
  if (row != std::end(kOps)) {
    return {row->nearest.str(), row->remedy.str()};
  }
  if (const OpRow *op = misspelled(domain, name)) {
    return {qualifiedName(op->domain, op->name), "correct the name of the operator in the model"};
  }
  StringRef remedy = remedyForDomain(domain);
  const OpRow *op = sameName(name);
  if (!op) {
    return {"", remedy.str()};
  }
  std::string nearest = qualifiedName(op->domain, op->name);
  return {nearest, remedy == kPlainOps
                       ? "export the node as " + nearest + " if both compute the same function"
                       : remedy.str()};
}

} // namespace convoy::import
