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

std::string shareText(double share) { return llvm::formatv("{0:f6}", share).str(); }

} // namespace

std::string sha256(const std::string &text) {
  std::array<uint8_t, 32> digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(digest, /*LowerCase=*/true);
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
