// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the files, bytes and counts of an artifact as text or JSON.

#include "tools/convoy/output/PrintSummary.h"
#include "Driver/Backends/Device/PlacementText.h"
#include "Support/ElementType.h"
#include "report/GenericLoops.h"
#include "report/Placement.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

namespace convoy::tool {
namespace {

// The text shows only the most frequent kinds of kernels; --json has all kinds.
constexpr size_t kShownKinds = 8;

int64_t sizeOf(llvm::StringRef path) {
  uint64_t bytes = 0;
  return llvm::sys::fs::file_size(path, bytes) ? 0 : static_cast<int64_t>(bytes);
}

/// Returns how many kernels have measurements in the records, and why the others have none.
std::string recordsText(const CompileReport &built) {
  const TunedSummary &tuned = built.tuned;
  int64_t missing = tuned.kernels - tuned.tuned - tuned.kept;
  std::string text = llvm::formatv("{0} of {1} kernels have measurements", tuned.tuned + tuned.kept,
                                   tuned.kernels);
  if (tuned.kept > 0) {
    text +=
        llvm::formatv("; {0} of them keep the default, because the tuned configurations were not "
                      "faster in the network",
                      tuned.kept);
  }
  if (missing > 0) {
    std::string none = missing == tuned.kernels ? "no measurement"
                                                : "none of the other " + std::to_string(missing);
    text += llvm::formatv("; the records have {0} for target {1} with {2} {3}", none, built.target,
                          built.threads, built.threads == 1 ? "thread" : "threads");
  }
  return text + "; records " + tuned.hash.substr(0, 12);
}

/// Returns the kinds of fused kernels, most frequent first.
std::vector<std::pair<std::string, int64_t>> sortedKinds(const CompileReport &built) {
  std::vector<std::pair<std::string, int64_t>> kinds(built.fused.begin(), built.fused.end());
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

llvm::json::Array layersToJson(llvm::ArrayRef<KernelReport> layers) {
  llvm::json::Array array;
  for (const KernelReport &layer : layers) {
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
  add("folding and quantization", weights.foldingBytes);
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

/// Returns the path of the Makefile, which is beside the C source.
std::string makefileOf(const ArtifactFiles &files) {
  llvm::SmallString<256> path(files.library);
  llvm::sys::path::replace_extension(path, "mk");
  return path.str().str();
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

void printSummary(llvm::raw_ostream &os, const Artifact &artifact,
                  const report::MicroBuild *micro) {
  const CompileReport &built = artifact.report;
  const ArtifactFiles &files = artifact.files;
  auto row = [&](llvm::StringRef key, const llvm::Twine &text) {
    os << llvm::left_justify(key, 11) << text << "\n";
  };
  bool isEmittedC = artifact.kind == Emit::Source;
  row(isEmittedC ? "source" : "library",
      files.library + ", " + llvm::Twine(sizeOf(files.library)) + " bytes, for " + built.target);
  row("header", files.header);
  if (!files.test.empty()) {
    row("test", files.test);
  }
  if (isEmittedC) {
    row("makefile", makefileOf(files));
  }
  if (!built.sourceCompiler.empty()) {
    row("compiler", llvm::join(built.sourceCompiler, " "));
  }
  row("workspace", llvm::Twine(built.workspaceBytes) + " bytes");
  row("threads", llvm::Twine(built.threads));
  if (!built.tuned.hash.empty()) {
    row("records", recordsText(built));
  }
  if (!built.schedule.scheduler.empty()) {
    row("schedule",
        llvm::formatv("{0}: {1:f3} ms predicted, {2:f3} ms on one thread", built.schedule.scheduler,
                      built.schedule.predictedMs, built.schedule.serialMs)
            .str());
  }
  if (!built.schedule.power.empty()) {
    const std::map<std::string, double> &p = built.schedule.power;
    row("deadline", llvm::formatv("{0:f2} ms: {1:f0} cores, {2:f2} ms, {3:f2} mJ predicted; all at "
                                  "full speed {4:f2} ms, {5:f2} mJ",
                                  p.at("deadlineNs") / 1e6, p.at("cores"), p.at("ns") / 1e6,
                                  p.at("microjoules") / 1e3, p.at("fullNs") / 1e6,
                                  p.at("fullMicrojoules") / 1e3)
                        .str());
  }
  row("weights",
      llvm::Twine(built.weightsBytes) + " bytes, " +
          (files.weights.empty() ? std::string(isEmittedC ? "in the source" : "linked in")
           : isEmittedC          ? "in " + files.weights + ", linked by " + files.weightsAssembly
                                 : "in " + files.weights));
  row("", weightsText(built.memory.weights));
  if (!files.customSources.empty()) {
    row("custom ops", llvm::join(files.customSources, ", ") + ", to compile with the model");
  }
  row("nodes", llvm::Twine(built.modelNodes) + " in the model, " + llvm::Twine(built.graphOps) +
                   " ops after folding, " + llvm::Twine(built.kernelCount) + " kernels");
  row("reorders", llvm::Twine(built.reorders) + " that move data");
  const GenericLoops &loops = built.genericLoops;
  if (loops.allKernels > 0) {
    row("loops", report::loopsText(loops) +
                     (loops.kernels > 0 ? "; `convoy explain` prints the reasons" : ""));
  }
  std::vector<std::pair<std::string, int64_t>> kinds = sortedKinds(built);
  row("fused", kinds.empty() ? std::string("nothing")
                             : llvm::formatv("{0} ops into shared kernels:", built.fusedOps).str());
  for (size_t i = 0; i < std::min(kinds.size(), kShownKinds); ++i) {
    row("", llvm::Twine(kinds[i].second) + " x " + kinds[i].first);
  }
  if (kinds.size() > kShownKinds) {
    row("", "and " + llvm::Twine(kinds.size() - kShownKinds) + " other kinds (--json has all)");
  }
  printVerdict(os, built.placement);
  if (micro) {
    report::printTotals(os, *micro);
  }
}

void printSummaryJson(llvm::raw_ostream &os, const Artifact &artifact, const Problems &problems,
                      const report::MicroBuild *micro) {
  const CompileReport &built = artifact.report;
  const ArtifactFiles &files = artifact.files;
  llvm::json::Object fused;
  for (const auto &[kind, count] : built.fused) {
    fused[kind] = count;
  }
  llvm::json::Object object{{"model", built.model},
                            {"target", built.target},
                            {"hash", built.hash},
                            {"library", llvm::json::fixUTF8(files.library)},
                            {"library_bytes", sizeOf(files.library)},
                            {"header", llvm::json::fixUTF8(files.header)},
                            {"weights", llvm::json::fixUTF8(files.weights)},
                            {"weights_bytes", built.weightsBytes},
                            {"weights_growth", weightsToJson(built.memory.weights)},
                            {"workspace_bytes", built.workspaceBytes},
                            {"threads", built.threads},
                            {"code_bytes", built.codeBytes},
                            {"inputs", tensorsToJson(built.inputs)},
                            {"outputs", tensorsToJson(built.outputs)},
                            {"model_nodes", built.modelNodes},
                            {"graph_ops", built.graphOps},
                            {"kernels", built.kernelCount},
                            {"reorders", built.reorders},
                            {"layers", layersToJson(built.kernels)},
                            {"generic_loops", report::loopsToJson(built.genericLoops)},
                            {"fused", std::move(fused)},
                            {"warnings", warningsToJson(problems)}};
  if (!built.placement.device.empty()) {
    object["placement"] = report::placementToJson(built.placement);
  }
  if (!built.tuned.hash.empty()) {
    object["records"] = llvm::json::Object{{"hash", built.tuned.hash},
                                           {"kernels", built.tuned.kernels},
                                           {"tuned", built.tuned.tuned},
                                           {"kept", built.tuned.kept}};
  }
  if (!built.schedule.scheduler.empty()) {
    object["schedule"] = llvm::json::Object{{"scheduler", built.schedule.scheduler},
                                            {"predicted_ms", built.schedule.predictedMs},
                                            {"serial_ms", built.schedule.serialMs}};
  }
  if (!built.schedule.power.empty()) {
    llvm::json::Object power;
    for (const auto &[name, value] : built.schedule.power) {
      power[snakeCase(name)] = value;
    }
    object["power_plan"] = std::move(power);
  }
  if (artifact.kind == Emit::Source) {
    // The path of the C source is in `library`; the key must say what the file is.
    object["source"] = std::move(object["library"]);
    object["source_bytes"] = std::move(object["library_bytes"]);
    object["test"] = llvm::json::fixUTF8(files.test);
    object["makefile"] = llvm::json::fixUTF8(makefileOf(files));
    object["weights_assembly"] = llvm::json::fixUTF8(files.weightsAssembly);
    object["source_compiler"] = llvm::json::Array(built.sourceCompiler);
    llvm::json::Array sources;
    for (const std::string &source : files.customSources) {
      sources.push_back(llvm::json::fixUTF8(source));
    }
    object["custom_sources"] = std::move(sources);
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
