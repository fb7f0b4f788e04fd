// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, sets and verifies the attributes of the task dialect.

#include "Task/Attributes.h"
#include "Graph/AttributeRules.h"
#include "Task/Task.h"
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

bool isRows(Attribute attribute) {
  return graph::hasFields<DenseI64ArrayAttr>(attribute, {"ends"}) &&
         graph::hasFields<IntegerAttr>(attribute, {"inner", "outer"}) &&
         graph::hasFields<ArrayAttr>(attribute, {"reads"});
}

bool isBands(Attribute attribute) {
  return graph::hasFields<DenseI64ArrayAttr>(attribute, {"ends"}) &&
         graph::hasFields<IntegerAttr>(attribute, {"group"});
}

bool isPace(Attribute attribute) {
  auto fields = dyn_cast<DictionaryAttr>(attribute);
  auto atLeast = [&](StringRef name, int64_t least) {
    auto number = fields ? fields.getAs<IntegerAttr>(name) : IntegerAttr();
    return number && number.getInt() >= least;
  };
  return fields && fields.getAs<BoolAttr>("descending") && atLeast("group", 0) &&
         atLeast("lag", 0) && atLeast("stride", 1);
}

bool isRounds(Attribute attribute) {
  return graph::isCount(attribute) && cast<IntegerAttr>(attribute).getInt() >= 1;
}

bool isAnything(Attribute) { return true; }

constexpr AttributeRule kRules[] = {
    {kKernelAttr, AttributeHolder::Function, "a unit attribute", graph::isAttr<UnitAttr>},
    {kRangeAttr, AttributeHolder::Function, "an i64 of at least 0", graph::isCount},
    {kRoundsAttr, AttributeHolder::Function, "an i64 of at least 1", isRounds},
    {kTypeAttr, AttributeHolder::Function, "a type", graph::isAttr<TypeAttr>},
    {kNodesAttr, AttributeHolder::Function, "a location", graph::isAttr<LocationAttr>},
    {kScratchAttr, AttributeHolder::Function, "a number of bytes", graph::isCount},
    {kStatusAttr, AttributeHolder::Function, "a unit attribute", graph::isAttr<UnitAttr>},
    {kProgramsAttr, AttributeHolder::Module, "an array", graph::isAttr<ArrayAttr>},
    {kInPlaceAttr, AttributeHolder::Function, "an array of i64", graph::isAttr<DenseI64ArrayAttr>},
    {kInArenaAttr, AttributeHolder::ArgumentOrResult, "a unit attribute", graph::isAttr<UnitAttr>},
    {kByRowsAttr, AttributeHolder::Argument, "a unit attribute", graph::isAttr<UnitAttr>},
    {kConfigAttr, AttributeHolder::Function, "a configuration", isAnything},
    {kJointAttr, AttributeHolder::Function, "an i64 of at least 0", graph::isCount},
    {kWorkerAttr, AttributeHolder::Function, "a unit attribute", graph::isAttr<UnitAttr>},
    {kThreadsAttr, AttributeHolder::Module, "an i64 of at least 0", graph::isCount},
    {kSchedulerAttr, AttributeHolder::Module, "a string", graph::isAttr<StringAttr>},
    {kPredictionAttr, AttributeHolder::Module, "a dictionary of the floats ns and serialNs",
     isPrediction},
    {kPowerPlanAttr, AttributeHolder::Module,
     "a dictionary of the floats cores, deadlineNs, fullMicrojoules, fullNs, microjoules and ns",
     isPowerPlan},
    {kRowsAttr, AttributeHolder::Function, "a dictionary of ends, inner, outer and reads", isRows},
    {kBandsAttr, AttributeHolder::Op, "a dictionary of ends and group", isBands},
    {kRowGroupAttr, AttributeHolder::Op, "an i64 of at least 0", graph::isCount},
    {kPaceAttr, AttributeHolder::Op, "a dictionary of descending, group, lag and stride", isPace},
    {kDescendingAttr, AttributeHolder::Op, "a unit attribute", graph::isAttr<UnitAttr>},
    {kOverlapsAttr, AttributeHolder::Function, "an array of i64", graph::isAttr<DenseI64ArrayAttr>},
    {kRingsAttr, AttributeHolder::Op, "an array of i64", graph::isAttr<DenseI64ArrayAttr>},
};

} // namespace

std::optional<int64_t> rangeOf(Operation *kernel) {
  auto range = kernel->getAttrOfType<IntegerAttr>(kRangeAttr);
  return range ? std::optional(range.getInt()) : std::nullopt;
}

int64_t roundsOf(Operation *kernel) {
  auto rounds = kernel->getAttrOfType<IntegerAttr>(kRoundsAttr);
  return rounds ? rounds.getInt() : 1;
}

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
