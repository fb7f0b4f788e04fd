// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the files, bytes and counts of an artefact as text or JSON.

#include "PrintSummary.h"
#include "Driver/PlacementText.h"
#include "JsonOutput.h"
#include "Support/ElementType.h"
#include "Verbs.h"
#include "report/GenericLoops.h"
#include "report/Placement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace convoy::tool {
namespace {

// The text shows only the most frequent kinds of kernels; --json has all kinds.
constexpr size_t kShownKinds = 8;

int64_t sizeOf(llvm::StringRef path) {
  uint64_t bytes = 0;
  return llvm::sys::fs::file_size(path, bytes) ? 0 : static_cast<int64_t>(bytes);
}

/// Returns the kinds of fused kernels, most frequent first.
std::vector<std::pair<std::string, int64_t>> sortedKinds(const CompileSummary &summary) {
  std::vector<std::pair<std::string, int64_t>> kinds(summary.fused.begin(), summary.fused.end());
  llvm::sort(kinds, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return kinds;
}

/// The key of an IR attribute as a key of JSON: "fullNs" is "full_ns".
std::string snakeCase(llvm::StringRef name) {
  std::string key;
  for (char c : name) {
    key += llvm::isUpper(c) ? std::string("_") + llvm::toLower(c) : std::string(1, c);
  }
  return key;
}

llvm::json::Array layersToJson(llvm::ArrayRef<KernelSummary> layers) {
  llvm::json::Array array;
  for (const KernelSummary &layer : layers) {
    array.push_back(llvm::json::Object{{"kernel", layer.kernel},
                                       {"nodes", llvm::json::fixUTF8(layer.nodes)},
                                       {"config", layer.config},
                                       {"block", layer.block},
                                       {"template", layer.templateId},
                                       {"predicted_ns", layer.predictedNs},
                                       {"estimated_vector_length", layer.vectorLength},
                                       {"estimated_vector_ratio", layer.vectorRatio}});
  }
  return array;
}

/// Returns a size with its unit: "2.54 MB".
std::string sizeText(int64_t bytes) {
  auto size = static_cast<double>(bytes);
  return bytes < 1000      ? std::to_string(bytes) + " bytes"
         : bytes < 1000000 ? llvm::formatv("{0:f1} kB", size / 1e3).str()
                           : llvm::formatv("{0:f2} MB", size / 1e6).str();
}

/// Returns the causes of the size: "4.94 MB in the model; the Winograd transform adds ...".
std::string weightsText(const WeightsSummary &weights) {
  std::vector<std::string> causes;
  auto add = [&](llvm::StringRef cause, int64_t bytes) {
    if (bytes != 0) {
      causes.push_back(
          (cause + (bytes > 0 ? " adds " : " removes ") + sizeText(std::abs(bytes))).str());
    }
  };
  add("the Winograd transform", weights.winogradBytes);
  add("padding to blocks", weights.paddingBytes);
  add("alignment", weights.alignmentBytes);
  add("folding and quantisation", weights.foldingBytes);
  return sizeText(weights.modelBytes) + " in the model" + (causes.empty() ? "" : "; ") +
         llvm::join(causes, ", ");
}

llvm::json::Object weightsToJson(const WeightsSummary &weights) {
  return llvm::json::Object{{"model_bytes", weights.modelBytes},
                            {"winograd_bytes", weights.winogradBytes},
                            {"padding_bytes", weights.paddingBytes},
                            {"alignment_bytes", weights.alignmentBytes},
                            {"folding_bytes", weights.foldingBytes}};
}

llvm::json::Array tensorsToJson(llvm::ArrayRef<TensorInfo> tensors) {
  llvm::json::Array array;
  for (const TensorInfo &tensor : tensors) {
    array.push_back(llvm::json::Object{{"name", llvm::json::fixUTF8(tensor.name)},
                                       {"type", name(tensor.type)},
                                       {"shape", llvm::json::Array(tensor.shape)},
                                       {"bytes", tensor.bytes}});
  }
  return array;
}

} // namespace

void printVerdict(llvm::raw_ostream &os, const PlacementSummary &placement) {
  std::string verdict = driver::speedVerdict(placement);
  if (!verdict.empty()) {
    os << verdict << "\n";
  }
}

void printSummary(llvm::raw_ostream &os, const Artefact &artefact,
                  const report::MicroBuild *micro) {
  const CompileSummary &summary = artefact.summary;
  const ArtefactFiles &files = artefact.files;
  auto row = [&](llvm::StringRef key, const llvm::Twine &text) {
    os << llvm::left_justify(key, 11) << text << "\n";
  };
  bool isSource = artefact.kind == Emit::Source;
  row(isSource ? "source" : "library",
      files.library + ", " + llvm::Twine(sizeOf(files.library)) + " bytes, for " + summary.target);
  row("header", files.header);
  if (!files.test.empty()) {
    row("test", files.test);
  }
  if (!summary.sourceCompiler.empty()) {
    row("compiler", llvm::join(summary.sourceCompiler, " "));
  }
  row("workspace", llvm::Twine(summary.workspaceBytes) + " bytes");
  row("threads", llvm::Twine(summary.threads));
  if (!summary.tuned.hash.empty()) {
    std::string kept = summary.tuned.kept == 0
                           ? ""
                           : std::to_string(summary.tuned.kept) +
                                 " stay as they are, since tuning did not win in the network; ";
    row("records", llvm::formatv("{0} of {1} kernels tuned; {2}records {3}", summary.tuned.tuned,
                                 summary.tuned.kernels, kept, summary.tuned.hash.substr(0, 12))
                       .str());
  }
  if (!summary.scheduler.empty()) {
    row("schedule", llvm::formatv("{0}: {1:f3} ms predicted, {2:f3} ms on one thread",
                                  summary.scheduler, summary.predictedMs, summary.serialMs)
                        .str());
  }
  if (!summary.power.empty()) {
    const std::map<std::string, double> &p = summary.power;
    row("deadline", llvm::formatv("{0:f2} ms: {1:f0} cores, {2:f2} ms, {3:f2} mJ predicted; all at "
                                  "full speed {4:f2} ms, {5:f2} mJ",
                                  p.at("deadlineNs") / 1e6, p.at("cores"), p.at("ns") / 1e6,
                                  p.at("microjoules") / 1e3, p.at("fullNs") / 1e6,
                                  p.at("fullMicrojoules") / 1e3)
                        .str());
  }
  row("weights", llvm::Twine(summary.weightsBytes) + " bytes, " +
                     (files.weights.empty() ? std::string(isSource ? "in the source" : "linked in")
                      : isSource ? "in " + files.weights + ", linked by " + files.weightsAssembly
                                 : "in " + files.weights));
  row("", weightsText(summary.weights));
  row("nodes", llvm::Twine(summary.modelNodes) + " in the model, " + llvm::Twine(summary.graphOps) +
                   " ops after folding, " + llvm::Twine(summary.kernels) + " kernels");
  row("reorders", llvm::Twine(summary.reorders) + " that move data");
  const GenericLoops &loops = summary.genericLoops;
  if (loops.allKernels > 0) {
    row("loops", report::loopsText(loops) +
                     (loops.kernels > 0 ? "; `convoy explain` prints the reasons" : ""));
  }
  std::vector<std::pair<std::string, int64_t>> kinds = sortedKinds(summary);
  row("fused", kinds.empty()
                   ? std::string("nothing")
                   : llvm::formatv("{0} ops into shared kernels:", summary.fusedOps).str());
  for (size_t i = 0; i < std::min(kinds.size(), kShownKinds); ++i) {
    row("", llvm::Twine(kinds[i].second) + " x " + kinds[i].first);
  }
  if (kinds.size() > kShownKinds) {
    row("", "and " + llvm::Twine(kinds.size() - kShownKinds) + " other kinds (--json has all)");
  }
  printVerdict(os, summary.placement);
  if (micro) {
    report::printTotals(os, *micro);
  }
}

void printSummaryJson(llvm::raw_ostream &os, const Artefact &artefact, const Problems &problems,
                      const report::MicroBuild *micro) {
  const CompileSummary &summary = artefact.summary;
  const ArtefactFiles &files = artefact.files;
  llvm::json::Object fused;
  for (const auto &[kind, count] : summary.fused) {
    fused[kind] = count;
  }
  llvm::json::Object object{{"model", summary.model},
                            {"target", summary.target},
                            {"hash", summary.hash},
                            {"library", llvm::json::fixUTF8(files.library)},
                            {"library_bytes", sizeOf(files.library)},
                            {"header", llvm::json::fixUTF8(files.header)},
                            {"weights", llvm::json::fixUTF8(files.weights)},
                            {"weights_bytes", summary.weightsBytes},
                            {"weights_growth", weightsToJson(summary.weights)},
                            {"workspace_bytes", summary.workspaceBytes},
                            {"threads", summary.threads},
                            {"code_bytes", summary.codeBytes},
                            {"inputs", tensorsToJson(summary.inputs)},
                            {"outputs", tensorsToJson(summary.outputs)},
                            {"model_nodes", summary.modelNodes},
                            {"graph_ops", summary.graphOps},
                            {"kernels", summary.kernels},
                            {"reorders", summary.reorders},
                            {"layers", layersToJson(summary.layers)},
                            {"generic_loops", report::loopsToJson(summary.genericLoops)},
                            {"fused", std::move(fused)},
                            {"warnings", warningsToJson(problems)}};
  if (!summary.placement.device.empty()) {
    object["placement"] = report::placementToJson(summary.placement);
  }
  if (!summary.tuned.hash.empty()) {
    object["records"] = llvm::json::Object{{"hash", summary.tuned.hash},
                                           {"kernels", summary.tuned.kernels},
                                           {"tuned", summary.tuned.tuned},
                                           {"kept", summary.tuned.kept}};
  }
  if (!summary.scheduler.empty()) {
    object["schedule"] = llvm::json::Object{{"scheduler", summary.scheduler},
                                            {"predicted_ms", summary.predictedMs},
                                            {"serial_ms", summary.serialMs}};
  }
  if (!summary.power.empty()) {
    llvm::json::Object power;
    for (const auto &[name, value] : summary.power) {
      power[snakeCase(name)] = value;
    }
    object["power_plan"] = std::move(power);
  }
  if (artefact.kind == Emit::Source) {
    // The path of the C source is in `library`; the key must say what the file is.
    object["source"] = std::move(object["library"]);
    object["source_bytes"] = std::move(object["library_bytes"]);
    object["test"] = llvm::json::fixUTF8(files.test);
    object["weights_assembly"] = llvm::json::fixUTF8(files.weightsAssembly);
    object["source_compiler"] = llvm::json::Array(summary.sourceCompiler);
    for (llvm::StringRef key : {"library", "library_bytes", "code_bytes"}) {
      object.erase(key);
    }
  }
  if (micro) {
    object["micro"] = report::toJson(*micro);
  }
  printJson(os, std::move(object));
}

} // namespace convoy::tool
