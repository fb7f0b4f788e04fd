// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the ops and kernels of a model after the stages that determine them, and reads placement,
// tuning records and schedule. KernelReports.cpp and MemoryReports.cpp describe kernels and memory.

#include "Pipeline/StageReports.h"
#include "Graph/Graph.h"
#include "Layout/Attributes.h"
#include "Pipeline/CountWork.h"
#include "Place/SummarizePlan.h"
#include "Task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy {
namespace {

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

} // namespace

void reportGraph(ModuleOp module, const StageOptions &, CompileReport &report) {
  module.walk([&](Operation *op) { report.graphOps += isComputed(op); });
  report.flops = flopsIn(module);
}

void reportQuantize(ModuleOp module, const StageOptions &, CompileReport &report) {
  module.walk([&](graph::RequantizeOp) { report.isQuantized = true; });
}

void reportPlace(ModuleOp module, const StageOptions &, CompileReport &report) {
  report.placement = place::loadPlacement(module.lookupSymbol<func::FuncOp>("main"));
}

void reportFusion(ModuleOp module, const StageOptions &, CompileReport &report) {
  module.walk([&](graph::KernelOp kernel) {
    ++report.kernelCount;
    std::vector<std::string> ops = opsOf(kernel);
    if (ops.size() > 1) {
      report.fusedOps += static_cast<int64_t>(ops.size());
      ++report.fused[llvm::join(ops, " + ")];
    }
  });
}

void reportLayout(ModuleOp module, const StageOptions &, CompileReport &report) {
  module.walk([&](graph::KernelOp kernel) {
    report.reorders += isa<graph::ReorderOp>(kernel->getRegion(0).front().front());
  });
  if (std::optional<layout::UsedMeasurements> used = layout::usedMeasurements(module)) {
    report.tuned = {used->hash, used->counts.kernels, used->counts.tuned, used->counts.kept};
  }
}

void reportSchedule(ModuleOp module, const StageOptions &, CompileReport &report) {
  ScheduleReport &schedule = report.schedule;
  if (std::optional<task::Prediction> prediction = task::predictionOf(module)) {
    schedule.predictedMs = prediction->ns / 1e6;
    schedule.serialMs = prediction->serialNs / 1e6;
    schedule.scheduler = module->getAttrOfType<StringAttr>(task::kSchedulerAttr).str();
  }
  if (auto plan = module->getAttrOfType<DictionaryAttr>(task::kPowerPlanAttr)) {
    for (NamedAttribute entry : plan) {
      schedule.power[entry.getName().str()] = cast<FloatAttr>(entry.getValue()).getValueAsDouble();
    }
  }
}

} // namespace convoy
