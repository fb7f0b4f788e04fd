// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words and JSON for the result of a quantization.

#include "quantizer/report/ResultText.h"
#include "Support/ElementType.h"
#include "Support/PercentText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::quantizer {
namespace {

namespace json = llvm::json;

std::string confidenceText(double alpha) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.4g %% confidence", 100 * (1 - alpha));
  return text;
}

json::Object measurementToJson(const Measurement &measurement) {
  json::Object object{{"samples", measurement.counts.samples},
                      {"lost", measurement.counts.lost},
                      {"gained", measurement.counts.gained},
                      {"drop", measurement.counts.drop()},
                      {"disagreements", measurement.disagreements},
                      {"mean_relative_l2", measurement.meanRelativeL2}};
  if (measurement.hasLabels) {
    auto topK = [](const Accuracy &accuracy) {
      return accuracy.samples
                 ? static_cast<double>(accuracy.rightInTopK) / static_cast<double>(accuracy.samples)
                 : 0;
    };
    object["float_top1"] = measurement.floats.top1();
    object["quantized_top1"] = measurement.quantized.top1();
    object["float_top_k"] = topK(measurement.floats);
    object["quantized_top_k"] = topK(measurement.quantized);
  }
  return object;
}

json::Object costToJson(const TargetCost &cost, int64_t fileBytes) {
  return json::Object{{"predicted_ns", cost.nanoseconds},
                      {"workspace_bytes", cost.workspaceBytes},
                      {"weights_bytes", cost.weightsBytes},
                      {"file_bytes", fileBytes}};
}

json::Value proofToJson(const Proof &proof) {
  if (!proof.isDone) {
    return nullptr;
  }
  json::Object object = measurementToJson(proof.measurement);
  object["confidence"] = 1 - proof.alpha;
  object["bound"] = proof.bound;
  object["is_promised"] = proof.isPromised;
  object["samples_needed"] = proof.samplesNeeded;
  return object;
}

json::Array wideToJson(const QuantizeResult &result) {
  json::Array array;
  for (const plan::ActivationPlan &activation : result.wideActivations()) {
    array.push_back(json::Object{{"tensor", json::fixUTF8(activation.tensor)},
                                 {"type", name(activation.type)},
                                 {"reason", json::fixUTF8(activation.reason)}});
  }
  return array;
}

json::Array searchToJson(const QuantizeResult &result) {
  json::Array array;
  for (const SearchStep &step : result.searchSteps) {
    json::Object object = measurementToJson(step.measurement);
    object["wide"] = step.wide;
    object["four_bit_layers"] = step.narrow;
    object["projected_bound"] = step.projectedBound;
    array.push_back(std::move(object));
  }
  return array;
}

json::Array sensitivityToJson(const QuantizeResult &result) {
  json::Array array;
  for (const TensorSensitivity &tensor : result.sensitivity) {
    array.push_back(json::Object{{"tensor", json::fixUTF8(tensor.tensor)},
                                 {"is_weights", tensor.isWeights},
                                 {"relative_error", tensor.relativeError}});
  }
  return array;
}

json::Array mistakesToJson(const QuantizeResult &result) {
  json::Array array;
  for (const Mistake &mistake : result.mistakes) {
    array.push_back(json::Object{{"kind", nameOf(mistake.kind)},
                                 {"is_warning", mistake.severity == Severity::Warning},
                                 {"text", json::fixUTF8(mistake.text)}});
  }
  return array;
}

json::Array timesToJson(const QuantizeResult &result) {
  json::Array array;
  for (const StepTime &time : result.times) {
    array.push_back(json::Object{{"step", time.name}, {"seconds", time.seconds}});
  }
  return array;
}

} // namespace

std::string pointsText(double share) { return llvm::formatv("{0:f2}", 100 * share).str(); }

std::string quantityText(const QuantizeResult &result) {
  return result.hasLabels ? "drop of the accuracy" : "share of changed answers";
}

std::string accuracyText(const QuantizeResult &result) {
  const Proof &proof = result.proof;
  const Measurement &measured = proof.isDone ? proof.measurement : result.select;
  std::string part = proof.isDone ? "proof" : "select";
  std::string text;
  if (result.hasLabels) {
    text = finePercentText(measured.floats.top1()) + " float, " +
           finePercentText(measured.quantized.top1()) + " quantized, drop " +
           pointsText(measured.counts.drop()) + " points";
  } else {
    text = finePercentText(measured.counts.drop()) + " of the answers differ from the float model";
  }
  text += llvm::formatv(" on {0} {1} samples", measured.counts.samples, part).str();
  if (result.hasLabels) {
    text += llvm::formatv(" ({0} correct answers lost, {1} gained)", measured.counts.lost,
                          measured.counts.gained)
                .str();
  }
  return text;
}

std::string boundText(const QuantizeResult &result, double maxDrop) {
  const Proof &proof = result.proof;
  if (!proof.isDone) {
    return "none: --proof off left the proof split unread";
  }
  std::string bound = finePercentText(proof.bound) + " with " + confidenceText(proof.alpha);
  std::string quantity = quantityText(result);
  if (proof.isPromised) {
    return "the " + quantity + " is at most " + finePercentText(maxDrop) + " (upper bound " +
           bound + ")";
  }
  std::string text = "none for " + finePercentText(maxDrop) + ": these samples prove a " +
                     quantity + " of at most " + bound;
  if (proof.samplesNeeded > 0) {
    return text + llvm::formatv("; about {0} proof samples would prove {1} for this plan",
                                proof.samplesNeeded, finePercentText(maxDrop))
                      .str();
  }
  return text + "; no number of samples proves " + finePercentText(maxDrop) +
         " for this plan, because the measured " + quantity + " is not below it";
}

std::string refusalText(const QuantizeResult &result, double maxDrop) {
  return "--max-drop: expected a proof of at most " + finePercentText(maxDrop) + "; " +
         accuracyText(result) + "; accuracy bound: " + boundText(result, maxDrop) +
         ". No file was written. Add samples, or write the model without an accuracy bound with "
         "--allow-unproven";
}

json::Object toJson(const QuantizeResult &result, const QuantizeOptions &options) {
  return json::Object{
      {"target", options.target.name},
      {"has_labels", result.hasLabels},
      {"max_drop", options.maxDrop},
      {"samples", json::Object{{"calibrate", static_cast<int64_t>(result.calibrateSamples)},
                               {"select", static_cast<int64_t>(result.selectSamples)},
                               {"prove", static_cast<int64_t>(result.proveSamples)}}},
      {"select", measurementToJson(result.select)},
      {"search", searchToJson(result)},
      {"proof", proofToJson(result.proof)},
      {"wide", wideToJson(result)},
      {"weights", json::Object{{"bytes", result.weights.bytes},
                               {"four_bit_share", result.weights.fourBitShare}}},
      {"float", costToJson(result.floatCost, result.floatBytes)},
      {"quantized", costToJson(result.quantizedCost, result.quantizedBytes)},
      {"hashes", json::Object{{"model", result.hashes.model},
                              {"data", result.hashes.data},
                              {"plan", result.hashes.plan},
                              {"quantized", result.hashes.quantized}}},
      {"mistakes", mistakesToJson(result)},
      {"sensitivity", sensitivityToJson(result)},
      {"times", timesToJson(result)}};
}

} // namespace convoy::quantizer
