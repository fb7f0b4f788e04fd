// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the calls of kernels: template and reasons after the stage `tasks`, time and vectors
// after the stage `kernels`. The name of a kernel connects both; the order of calls stays equal.

#include "Bands/KernelTime.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Kernels/KernelTemplate.h"
#include "Kernels/VectorUse.h"
#include "Layout/Attributes.h"
#include "Pipeline/CountWork.h"
#include "Pipeline/KernelWork.h"
#include "Pipeline/StageReports.h"
#include "Task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

using namespace mlir;

namespace convoy {
namespace {

/// The mnemonic of kernels::OffloadAttr.
constexpr StringLiteral kDeviceTemplate = "offload";

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

/// Sets the template, the layouts and the work of one run of a kernel on tensors.
void setFunction(task::KernelOp function, KernelReport &kernel) {
  Attribute config = function.getConfigAttr();
  if (config) {
    llvm::raw_string_ostream(kernel.config) << config;
  }
  bool isReorder = !config && isa<graph::ReorderOp>(function.getBody().front().front());
  kernel.templateId = isReorder ? "reorder" : kernels::templateId(config).str();
  kernel.operandLayouts = layoutsOf(function.getArgumentTypes());
  kernel.resultLayouts = layoutsOf(function.getResultTypes());
  kernel.flops = flopsIn(function);
}

void setReasons(task::RunOp run, KernelReport &kernel) {
  std::optional<layout::Reasons> reasons = layout::reasonsOf(run);
  if (!reasons) {
    return;
  }
  kernel.remark = std::move(reasons->remark);
  if (kernel.isGenericLoops()) {
    kernel.refusals = std::move(reasons->refusals);
  }
}

/// The clock of a microcontroller whose description has no power states. Shares of the time do not
/// depend on it.
constexpr double kMicroMegahertz = 100;

/// Returns the time of all runs of a kernel: by the table of cycles if the core has one, else by
/// its loops.
double predictNs(task::KernelOp function, const KernelReport &kernel,
                 const targets::Target &target) {
  if (!target.toolchain || !target.instructionCycles) {
    return bands::estimateNs(function, kernel.runs);
  }
  double megahertz = target.powerStates.empty()
                         ? kMicroMegahertz
                         : static_cast<double>(target.powerStates.front().megahertz);
  double multiplyAdds = kernel.flops / kernel.runs / 2;
  return kernel.runs * estimateCycles(workOf(function), multiplyAdds, *target.instructionCycles) *
         1e3 / megahertz;
}

/// Sets the steps and vectors of a kernel and the time of all runs.
void setLowered(task::KernelOp function, const StageOptions &options, KernelReport &kernel) {
  kernels::VectorUse use = kernels::countVectors(function);
  kernel.vectorLength = use.meanLength();
  kernel.vectorRatio = use.ratio();
  kernel.steps.most = function.getRange().value_or(0);
  kernel.rounds = function.getRounds().value_or(1);
  if (kernel.templateId != kDeviceTemplate) {
    const std::map<std::string, double> &times = options.schedule.kernelTimes;
    auto measured = times.find(kernel.kernel);
    kernel.predictedNs = measured != times.end()
                             ? measured->second
                             : predictNs(function, kernel, options.codegen.target);
  }
}

void addTo(const KernelReport &kernel, GenericLoops &loops) {
  if (kernel.templateId == kDeviceTemplate) {
    return;
  }
  ++loops.allKernels;
  loops.allPredictedNs += kernel.predictedNs;
  if (kernel.isGenericLoops()) {
    ++loops.kernels;
    loops.predictedNs += kernel.predictedNs;
  }
}

} // namespace

void reportTasks(ModuleOp module, const StageOptions &, CompileReport &report) {
  SymbolTable symbols(module);
  std::map<std::string, KernelReport> functions;
  module.walk([&](task::RunOp run) {
    auto [function, isNew] = functions.try_emplace(run.getKernel().str());
    if (isNew) {
      setFunction(symbols.lookup<task::KernelOp>(run.getKernel()), function->second);
    }
    KernelReport kernel = function->second;
    kernel.kernel = run.getKernel().str();
    kernel.nodes = graph::nodeText(run.getLoc());
    kernel.block = run.getNumResults() > 0 ? graph::channelBlock(run.getResult(0).getType()) : 0;
    kernel.runs = runsOf(run);
    kernel.flops *= kernel.runs;
    kernel.bytes = kernel.runs * bytesOf(run);
    setReasons(run, kernel);
    report.kernels.push_back(std::move(kernel));
  });
}

void reportKernels(ModuleOp module, const StageOptions &options, CompileReport &report) {
  SymbolTable symbols(module);
  std::map<std::string, KernelReport> functions;
  for (KernelReport &kernel : report.kernels) {
    auto [function, isNew] = functions.try_emplace(kernel.kernel, kernel);
    if (isNew) {
      setLowered(symbols.lookup<task::KernelOp>(kernel.kernel), options, function->second);
    }
    const KernelReport &lowered = function->second;
    kernel.vectorLength = lowered.vectorLength;
    kernel.vectorRatio = lowered.vectorRatio;
    kernel.steps = lowered.steps;
    kernel.rounds = lowered.rounds;
    kernel.predictedNs = lowered.predictedNs;
    addTo(kernel, report.genericLoops);
  }
}

} // namespace convoy
