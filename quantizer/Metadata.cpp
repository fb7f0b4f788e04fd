// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes metadata properties, which ONNX Runtime and other programs ignore.

#include "quantizer/Metadata.h"
#include "Import/OnnxProto.h"
#include "convoy/version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

namespace convoy::quantizer {
namespace {

void set(onnx::ModelProto &model, const std::string &key, const std::string &value) {
  onnx::StringStringEntryProto &entry = *model.add_metadata_props();
  entry.set_key("convoy." + key);
  entry.set_value(value);
}

/// Clears the texts of a message, and of the messages in it, that do not affect a result.
void clearTexts(google::protobuf::Message &message) {
  const google::protobuf::Reflection *reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor *> fields;
  reflection->ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor *field : fields) {
    bool isNodeName = field->containing_type() == onnx::NodeProto::descriptor() &&
                      field->number() == onnx::NodeProto::kNameFieldNumber;
    if (field->name() == "doc_string" || isNodeName) {
      reflection->ClearField(&message, field);
    } else if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
      continue;
    } else if (!field->is_repeated()) {
      clearTexts(*reflection->MutableMessage(&message, field));
    } else {
      for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
        clearTexts(*reflection->MutableRepeatedMessage(&message, field, i));
      }
    }
  }
}

std::string shareText(double share) { return llvm::formatv("{0:f6}", share).str(); }

} // namespace

std::string sha256(const std::string &text) {
  std::array<uint8_t, 32> digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

std::string computationHash(onnx::ModelProto model) {
  model.clear_producer_name();
  model.clear_producer_version();
  model.clear_domain();
  model.clear_model_version();
  model.clear_metadata_props();
  model.mutable_graph()->clear_name();
  clearTexts(model);
  return sha256(model.SerializeAsString());
}

void addMetadata(onnx::ModelProto &model, const QuantizeResult &result,
                 const QuantizeOptions &options) {
  const Proof &proof = result.proof;
  set(model, "version", versionText());
  set(model, "float_model_sha256", result.hashes.model);
  set(model, "plan_sha256", result.hashes.plan);
  if (!proof.isDone) {
    set(model, "promise", "none");
    return;
  }
  const PairedCounts &counts = proof.measurement.counts;
  set(model, "proof_data_sha256", result.hashes.data);
  set(model, "proof_samples", std::to_string(counts.samples));
  set(model, "proof_lost", std::to_string(counts.lost));
  set(model, "proof_gained", std::to_string(counts.gained));
  set(model, "confidence", shareText(1 - proof.alpha));
  set(model, result.hasLabels ? "drop_bound" : "disagreement_bound", shareText(proof.bound));
  set(model, "promise", proof.isPromised ? shareText(options.maxDrop) : "none");
}

} // namespace convoy::quantizer
