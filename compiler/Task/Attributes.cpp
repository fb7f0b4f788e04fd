// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, sets and verifies the attributes of the task dialect.

#include "Task/Attributes.h"
#include "Graph/AttributeRules.h"
#include "Task/Probe.h"
#include "Task/Task.h"
#include "Task/Team.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace convoy::task {
namespace {

using graph::AttributeHolder;
using graph::AttributeRule;

bool isPrediction(Attribute attribute) {
  return graph::hasFields<FloatAttr>(attribute, {"ns", "serialNs"});
}

bool isPowerPlan(Attribute attribute) {
  return graph::hasFields<FloatAttr>(
      attribute, {"cores", "deadlineNs", "fullMicrojoules", "fullNs", "microjoules", "ns"});
}

bool isTeam(Attribute attribute) {
  return graph::hasFields<IntegerAttr>(attribute, {"line", "part", "parts", "steps"});
}

constexpr AttributeRule kRules[] = {
    {kProgramsAttr, AttributeHolder::Module, "an array", graph::isAttr<ArrayAttr>},
    {kInArenaAttr, AttributeHolder::ArgumentOrResult, "a unit attribute", graph::isAttr<UnitAttr>},
    {kByRowsAttr, AttributeHolder::Argument, "a unit attribute", graph::isAttr<UnitAttr>},
    {kWorkerAttr, AttributeHolder::Function, "a unit attribute", graph::isAttr<UnitAttr>},
    {kThreadsAttr, AttributeHolder::Module, "an i64 of at least 0", graph::isCount},
    {kSchedulerAttr, AttributeHolder::Module, "a string", graph::isAttr<StringAttr>},
    {kPredictionAttr, AttributeHolder::Module, "a dictionary of the floats ns and serialNs",
     isPrediction},
    {kPowerPlanAttr, AttributeHolder::Module,
     "a dictionary of the floats cores, deadlineNs, fullMicrojoules, fullNs, microjoules and ns",
     isPowerPlan},
    {kProbeAttr, AttributeHolder::Op, "an integer", graph::isAttr<IntegerAttr>},
    {kIterationsAttr, AttributeHolder::Op, "an i64 of at least 0", graph::isCount},
    {kTeamAttr, AttributeHolder::Op, "a dictionary of the integers line, part, parts and steps",
     isTeam},
};

} // namespace

std::optional<Prediction> predictionOf(ModuleOp module) {
  auto fields = module->getAttrOfType<DictionaryAttr>(kPredictionAttr);
  if (!fields) {
    return std::nullopt;
  }
  auto field = [&](StringRef name) { return fields.getAs<FloatAttr>(name).getValueAsDouble(); };
  return Prediction{field("ns"), field("serialNs")};
}

void setPrediction(ModuleOp module, const Prediction &prediction) {
  Builder builder(module.getContext());
  auto field = [&](StringRef name, double ns) {
    return builder.getNamedAttr(name, builder.getF64FloatAttr(ns));
  };
  module->setAttr(kPredictionAttr,
                  builder.getDictionaryAttr(
                      {field("ns", prediction.ns), field("serialNs", prediction.serialNs)}));
}

std::optional<Team> Team::of(Operation *op) {
  auto fields = op->getAttrOfType<DictionaryAttr>(kTeamAttr);
  if (!fields) {
    return std::nullopt;
  }
  auto field = [&](StringRef name) { return fields.getAs<IntegerAttr>(name).getInt(); };
  return Team{field("line"), field("part"), field("parts"), field("steps")};
}

void Team::setOn(Operation *loop) const {
  Builder builder(loop->getContext());
  auto field = [&](StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  loop->setAttr(kTeamAttr,
                builder.getDictionaryAttr({field("line", line), field("part", part),
                                           field("parts", parts), field("steps", steps)}));
}

LogicalResult TaskDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return graph::verifyOpAttribute(op, attribute, kRules);
}

LogicalResult TaskDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                                    NamedAttribute attribute) {
  return graph::verifyArgumentAttribute(op, attribute, kRules);
}

LogicalResult TaskDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                                       NamedAttribute attribute) {
  return graph::verifyResultAttribute(op, attribute, kRules);
}

} // namespace convoy::task
