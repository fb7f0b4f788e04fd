// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts ops, kernels, reorders and bytes after the stage that determines them.

#include "Driver/SummaryObserver.h"
#include "Bands/KernelTime.h"
#include "Driver/CountWeights.h"
#include "Driver/ImportRequested.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Import/OnnxProto.h"
#include "Kernels/KernelTemplate.h"
#include "Kernels/VectorUse.h"
#include "Layout/Attributes.h"
#include "Place/SummarizePlan.h"
#include "Task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// The mnemonic of kernels::OffloadAttr.
constexpr StringLiteral kDeviceTemplate = "offload";

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

/// Returns "conv", or the kind of an element-wise op: "relu", "add".
std::string nameOf(Operation &op) {
  return llvm::TypeSwitch<Operation *, llvm::StringRef>(&op)
      .Case([](graph::UnaryOp unary) { return stringifyEnum(unary.getKind()); })
      .Case([](graph::ActivationOp activation) { return stringifyEnum(activation.getKind()); })
      .Case([](graph::BinaryOp binary) { return stringifyEnum(binary.getKind()); })
      .Default([](Operation *other) { return other->getName().stripDialect(); })
      .str();
}

/// Returns the names of a kernel's ops in execution order.
std::vector<std::string> opsOf(graph::KernelOp kernel) {
  std::vector<std::string> names;
  for (Operation &op : kernel->getRegion(0).front()) {
    if (isComputed(&op)) {
      names.push_back(nameOf(op));
    }
  }
  return names;
}

/// Returns each tensor's layout: "planar" or an attribute.
std::vector<std::string> layoutsOf(TypeRange types) {
  std::vector<std::string> layouts;
  for (Type type : types) {
    Attribute layout = graph::layoutOf(type);
    std::string text = layout ? "" : "planar";
    if (layout) {
      llvm::raw_string_ostream(text) << layout;
    }
    layouts.push_back(std::move(text));
  }
  return layouts;
}

void addTo(const KernelSummary &kernel, GenericLoops &loops) {
  if (kernel.templateId == kDeviceTemplate) {
    return;
  }
  ++loops.allKernels;
  loops.allPredictedNs += kernel.predictedNs;
  if (kernel.templateId == kernels::fallbackTemplate().id()) {
    ++loops.kernels;
    loops.predictedNs += kernel.predictedNs;
  }
}

std::vector<TensorInfo> infosOf(ArrayRef<codegen::TensorDescriptor> tensors) {
  std::vector<TensorInfo> infos;
  for (const codegen::TensorDescriptor &tensor : tensors) {
    TensorInfo info{tensor.name, tensor.type, {tensor.shape.begin(), tensor.shape.end()}};
    info.bytes = tensor.bytes;
    infos.push_back(std::move(info));
  }
  return infos;
}

} // namespace

int64_t countNodes(const import::Model &model) { return nodesIn(model.proto->graph()); }

void noteInterface(const codegen::ModelInterface &interface, CompileSummary &summary) {
  summary.model = interface.model;
  summary.target = interface.target;
  summary.hash = interface.hash;
  summary.inputs = infosOf(interface.inputs);
  summary.outputs = infosOf(interface.outputs);
  summary.workspaceBytes = interface.allWorkspaceBytes();
  summary.weightsBytes = interface.weightsBytes;
  summary.threads = interface.threads;
}

bool SummaryObserver::endStage(ModuleOp module, const Stage &stage) {
  if (stage.name == "graph") {
    module.walk([&](Operation *op) { summary.graphOps += isComputed(op); });
  } else if (stage.name == "place") {
    summary.placement = place::loadPlacement(mainOf(module));
  } else if (stage.name == "fusion") {
    noteKernels(module);
  } else if (stage.name == "layout") {
    module.walk([&](graph::KernelOp kernel) {
      summary.reorders += isa<graph::ReorderOp>(kernel->getRegion(0).front().front());
    });
    noteMeasurements(module);
  } else if (stage.name == "tasks") {
    noteTemplates(module);
  } else if (stage.name == "kernels") {
    noteLayers(module);
  } else if (stage.name == "memory") {
    summary.weights = countWeights(module, summary.weights.modelBytes);
  } else if (stage.name == "schedule") {
    noteSchedule(module);
  }
  return true;
}

void SummaryObserver::noteKernels(ModuleOp module) {
  module.walk([&](graph::KernelOp kernel) {
    ++summary.kernels;
    std::vector<std::string> ops = opsOf(kernel);
    if (ops.size() > 1) {
      summary.fusedOps += static_cast<int64_t>(ops.size());
      ++summary.fused[llvm::join(ops, " + ")];
    }
  });
}

void SummaryObserver::noteMeasurements(ModuleOp module) {
  if (std::optional<layout::UsedMeasurements> used = layout::usedMeasurements(module)) {
    summary.tuned = {used->hash, used->counts.kernels, used->counts.tuned, used->counts.kept};
  }
}

void SummaryObserver::noteSchedule(ModuleOp module) {
  if (std::optional<task::Prediction> prediction = task::predictionOf(module)) {
    summary.predictedMs = prediction->ns / 1e6;
    summary.serialMs = prediction->serialNs / 1e6;
    summary.scheduler = module->getAttrOfType<StringAttr>(task::kSchedulerAttr).str();
  }
  if (auto plan = module->getAttrOfType<DictionaryAttr>(task::kPowerPlanAttr)) {
    for (NamedAttribute entry : plan) {
      summary.power[entry.getName().str()] = cast<FloatAttr>(entry.getValue()).getValueAsDouble();
    }
  }
}

/// Notes templates and layouts now, because lowering removes them.
void SummaryObserver::noteTemplates(ModuleOp module) {
  for (auto kernel : module.getOps<task::KernelOp>()) {
    KernelSummary &noted = templates[kernel.getName().str()];
    Attribute config = kernel.getConfigAttr();
    if (config) {
      llvm::raw_string_ostream(noted.config) << config;
    }
    bool isReorder = !config && isa<graph::ReorderOp>(kernel.getBody().front().front());
    noted.templateId = isReorder ? "reorder" : kernels::templateId(config).str();
    noted.operandLayouts = layoutsOf(kernel.getArgumentTypes());
    noted.resultLayouts = layoutsOf(kernel.getResultTypes());
  }
}

double SummaryObserver::predictNs(task::KernelOp kernel) const {
  auto measured = kernelNs.find(kernel.getName().str());
  return measured != kernelNs.end() ? measured->second : bands::estimateNs(kernel);
}

void SummaryObserver::noteLayers(ModuleOp module) {
  for (auto kernel : module.getOps<task::KernelOp>()) {
    KernelSummary &noted = templates[kernel.getName().str()];
    kernels::VectorUse use = kernels::countVectors(kernel);
    noted.vectorLength = use.meanLength();
    noted.vectorRatio = use.ratio();
    noted.predictedNs = noted.templateId == kDeviceTemplate ? 0 : predictNs(kernel);
  }
  module.walk([&](task::RunOp run) {
    KernelSummary layer = templates[run.getKernel().str()];
    layer.kernel = run.getKernel().str();
    layer.nodes = graph::nodeText(run.getLoc());
    layer.block = run.getNumResults() > 0 ? graph::channelBlock(run.getResult(0).getType()) : 0;
    addTo(layer, summary.genericLoops);
    summary.layers.push_back(std::move(layer));
  });
}

} // namespace convoy::driver
