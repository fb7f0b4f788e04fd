// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts nodes before and after, and shows the files and bytes.

#include "CompileSummary.h"
#include "Graph/Graph.h"
#include "Import/OnnxProto.h"
#include "Kernels/VectorUse.h"
#include "NodeName.h"
#include "Tasks/Task.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace convoy::driver {
namespace {

// Beyond this the kinds of kernels tell little; --json has them all.
constexpr size_t kShownKinds = 8;

int64_t nodesIn(const onnx::GraphProto &graph) {
  int64_t count = graph.node_size();
  for (const onnx::NodeProto &node : graph.node()) {
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      count += attribute.has_g() ? nodesIn(attribute.g()) : 0;
    }
  }
  return count;
}

bool isComputed(Operation *op) {
  return isa_and_nonnull<graph::GraphDialect>(op->getDialect()) &&
         !isa<graph::ConstantOp, graph::KernelOp>(op) && !op->hasTrait<OpTrait::IsTerminator>();
}

/// "conv", or what kind of element-wise op it is: "relu", "add".
std::string nameOf(Operation &op) {
  return llvm::TypeSwitch<Operation *, llvm::StringRef>(&op)
      .Case([](graph::UnaryOp unary) { return stringifyEnum(unary.getKind()); })
      .Case([](graph::ActivationOp activation) { return stringifyEnum(activation.getKind()); })
      .Case([](graph::BinaryOp binary) { return stringifyEnum(binary.getKind()); })
      .Default([](Operation *other) { return other->getName().stripDialect(); })
      .str();
}

/// The ops of a kernel in the order in which they run.
std::vector<std::string> opsOf(graph::KernelOp kernel) {
  std::vector<std::string> names;
  for (Operation &op : kernel->getRegion(0).front()) {
    if (isComputed(&op)) {
      names.push_back(nameOf(op));
    }
  }
  return names;
}

int64_t sizeOf(llvm::StringRef path) {
  uint64_t bytes = 0;
  return llvm::sys::fs::file_size(path, bytes) ? 0 : static_cast<int64_t>(bytes);
}

/// Kinds of fused kernels, most frequent first.
std::vector<std::pair<std::string, int64_t>> sortedKinds(const CompileSummary &summary) {
  std::vector<std::pair<std::string, int64_t>> kinds(summary.fused.begin(), summary.fused.end());
  llvm::sort(kinds, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return kinds;
}

llvm::json::Array layersToJson(llvm::ArrayRef<LayerSummary> layers) {
  llvm::json::Array array;
  for (const LayerSummary &layer : layers) {
    array.push_back(llvm::json::Object{{"kernel", layer.kernel},
                                       {"nodes", llvm::json::fixUTF8(layer.nodes)},
                                       {"config", layer.config},
                                       {"block", layer.block},
                                       {"estimatedVectorLength", layer.vectorLength},
                                       {"estimatedVectorRatio", layer.vectorRatio}});
  }
  return array;
}

llvm::json::Array tensorsToJson(llvm::ArrayRef<codegen::TensorDescriptor> tensors) {
  llvm::json::Array array;
  for (const codegen::TensorDescriptor &tensor : tensors) {
    array.push_back(llvm::json::Object{{"name", llvm::json::fixUTF8(tensor.name)},
                                       {"type", name(tensor.type)},
                                       {"shape", llvm::json::Array(tensor.shape)},
                                       {"bytes", tensor.bytes}});
  }
  return array;
}

} // namespace

void CompileSummary::setSource(const codegen::SourceFiles &source) {
  files.library = source.source;
  files.header = source.header;
  files.weights = source.weights;
  files.interface = source.interface;
  test = source.test;
  weightsAssembly = source.weightsAssembly;
}

void CompileSummary::countNodes(const import::Model &model) {
  modelNodes = nodesIn(model.proto->graph());
}

void CompileSummary::countOps(ModuleOp module, llvm::StringRef stage) {
  if (stage == "graph") {
    module.walk([&](Operation *op) { graphOps += isComputed(op); });
  } else if (stage == "fusion") {
    module.walk([&](graph::KernelOp kernel) {
      ++kernels;
      std::vector<std::string> ops = opsOf(kernel);
      if (ops.size() > 1) {
        fusedOps += static_cast<int64_t>(ops.size());
        ++fused[llvm::join(ops, " + ")];
      }
    });
  } else if (stage == "schedule") {
    if (auto promise = module->getAttrOfType<DictionaryAttr>(task::kPredictionAttr)) {
      predictedMs = promise.getAs<FloatAttr>("ns").getValueAsDouble() / 1e6;
      serialMs = promise.getAs<FloatAttr>("serialNs").getValueAsDouble() / 1e6;
      scheduler = module->getAttrOfType<StringAttr>(task::kSchedulerAttr).str();
    }
    if (auto plan = module->getAttrOfType<DictionaryAttr>(task::kPowerPlanAttr)) {
      for (NamedAttribute entry : plan) {
        power[entry.getName().str()] = cast<FloatAttr>(entry.getValue()).getValueAsDouble();
      }
    }
  } else if (stage == "layout") {
    module.walk([&](graph::KernelOp kernel) {
      reorders += isa<graph::ReorderOp>(kernel->getRegion(0).front().front());
    });
  } else if (stage == "tasks") {
    noteConfigs(module);
  } else if (stage == "kernels") {
    noteLayers(module);
  }
}

/// Lowering takes configurations away.
void CompileSummary::noteConfigs(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (Attribute config = function->getAttr(task::kConfigAttr)) {
      llvm::raw_string_ostream(configs[function.getName().str()]) << config;
    }
  }
}

void CompileSummary::noteLayers(ModuleOp module) {
  std::map<std::string, kernels::VectorUse> uses;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (task::isKernel(function)) {
      uses[function.getName().str()] = kernels::countVectors(function);
    }
  }
  module.walk([&](task::RunOp run) {
    LayerSummary layer;
    layer.kernel = run.getKernel().str();
    layer.nodes = nodeText(run.getLoc());
    layer.config = configs[layer.kernel];
    layer.block = run.getNumResults() > 0 ? graph::channelBlock(run.getResult(0).getType()) : 0;
    layer.vectorLength = uses[layer.kernel].meanLength();
    layer.vectorRatio = uses[layer.kernel].ratio();
    layers.push_back(layer);
  });
}

void printText(llvm::raw_ostream &os, const CompileSummary &summary) {
  const codegen::LibraryFiles &files = summary.files;
  const codegen::ModelInterface &interface = files.interface;
  auto row = [&](llvm::StringRef key, const llvm::Twine &text) {
    os << llvm::left_justify(key, 11) << text << "\n";
  };
  bool isSource = interface.isSource;
  row(isSource ? "source" : "library", files.library + ", " + llvm::Twine(sizeOf(files.library)) +
                                           " bytes, for " + interface.target);
  row("header", files.header);
  if (!summary.test.empty()) {
    row("test", summary.test);
  }
  if (!summary.sourceCompiler.empty()) {
    row("compiler", llvm::join(summary.sourceCompiler, " "));
  }
  row("workspace", llvm::Twine(interface.workspaceBytes) + " bytes");
  row("threads", llvm::Twine(interface.threads));
  if (!summary.recordsHash.empty()) {
    std::string kept = summary.tuned.kept == 0
                           ? ""
                           : std::to_string(summary.tuned.kept) +
                                 " stay as they are, since tuning did not win in the network; ";
    row("records", llvm::formatv("{0} of {1} kernels tuned; {2}records {3}", summary.tuned.tuned,
                                 summary.tuned.kernels, kept, summary.recordsHash.substr(0, 12))
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
  row("weights", llvm::Twine(interface.weightsBytes) + " bytes, " +
                     (files.weights.empty() ? std::string(isSource ? "in the source" : "linked in")
                      : isSource ? "in " + files.weights + ", linked by " + summary.weightsAssembly
                                 : "in " + files.weights));
  row("nodes", llvm::Twine(summary.modelNodes) + " in the model, " + llvm::Twine(summary.graphOps) +
                   " ops after folding, " + llvm::Twine(summary.kernels) + " kernels");
  row("reorders", llvm::Twine(summary.reorders) + " that move data");
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
}

void printJson(llvm::raw_ostream &os, const CompileSummary &summary) {
  const codegen::LibraryFiles &files = summary.files;
  const codegen::ModelInterface &interface = files.interface;
  llvm::json::Object fused;
  for (const auto &[kind, count] : summary.fused) {
    fused[kind] = count;
  }
  llvm::json::Object object{{"model", interface.model},
                            {"target", interface.target},
                            {"hash", interface.hash},
                            {"library", llvm::json::fixUTF8(files.library)},
                            {"libraryBytes", sizeOf(files.library)},
                            {"header", llvm::json::fixUTF8(files.header)},
                            {"weights", llvm::json::fixUTF8(files.weights)},
                            {"weightsBytes", interface.weightsBytes},
                            {"workspaceBytes", interface.workspaceBytes},
                            {"threads", interface.threads},
                            {"codeBytes", files.codeBytes},
                            {"inputs", tensorsToJson(interface.inputs)},
                            {"outputs", tensorsToJson(interface.outputs)},
                            {"modelNodes", summary.modelNodes},
                            {"graphOps", summary.graphOps},
                            {"kernels", summary.kernels},
                            {"reorders", summary.reorders},
                            {"layers", layersToJson(summary.layers)},
                            {"fused", std::move(fused)}};
  if (!summary.recordsHash.empty()) {
    object["records"] = llvm::json::Object{{"hash", summary.recordsHash},
                                           {"kernels", summary.tuned.kernels},
                                           {"tuned", summary.tuned.tuned},
                                           {"kept", summary.tuned.kept}};
  }
  if (!summary.scheduler.empty()) {
    object["schedule"] = llvm::json::Object{{"scheduler", summary.scheduler},
                                            {"predictedMs", summary.predictedMs},
                                            {"serialMs", summary.serialMs}};
  }
  if (!summary.power.empty()) {
    llvm::json::Object power;
    for (const auto &[name, value] : summary.power) {
      power[name] = value;
    }
    object["powerPlan"] = std::move(power);
  }
  if (interface.isSource) {
    // The key names what the path is.
    object["source"] = std::move(object["library"]);
    object["sourceBytes"] = std::move(object["libraryBytes"]);
    object["test"] = llvm::json::fixUTF8(summary.test);
    object["weightsAssembly"] = llvm::json::fixUTF8(summary.weightsAssembly);
    object["sourceCompiler"] = llvm::json::Array(summary.sourceCompiler);
    for (llvm::StringRef key : {"library", "libraryBytes", "codeBytes"}) {
      object.erase(key);
    }
  }
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
}

} // namespace convoy::driver
