// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the one reason that a summary names: float ops on a device for integers first,
// as this reason is about the whole model, else the most frequent reason.

#include "Place/SummarizePlan.h"
#include "Place/CpuEstimate.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::place {
namespace {

using accelerators::Refusal;

/// The remedy of PlacementSummary::needsIntegers, and of no other reason.
constexpr llvm::StringLiteral kQuantizeRemedy = "add --calibrate DIR to quantize the model";

bool isPlacement(Attribute attribute) {
  return graph::hasFields<StringAttr>(attribute, {"device", "reason", "remedy"}) &&
         graph::hasFields<IntegerAttr>(attribute, {"ops", "placed_ops", "regions", "slower_ops"}) &&
         graph::hasFields<FloatAttr>(attribute, {"device_ns", "cpu_ns"}) &&
         graph::hasFields<BoolAttr>(attribute, {"fastest"});
}

constexpr graph::AttributeRule kRules[] = {{kPlacementAttr, graph::AttributeHolder::Function,
                                            "a dictionary with the fields of a placement",
                                            isPlacement}};

/// "int8, uint8": the types of all ops that the device runs.
std::string typesOf(const accelerators::Accelerator &device) {
  SmallVector<llvm::StringRef> names;
  for (const accelerators::OpSupport &op : device.capabilities().ops()) {
    for (ElementType type : op.types) {
      if (!llvm::is_contained(names, name(type))) {
        names.push_back(name(type));
      }
    }
  }
  return llvm::join(names, ", ");
}

void setReason(const DevicePlan &plan, const accelerators::Accelerator &device,
               PlacementSummary &summary) {
  llvm::MapVector<llvm::StringRef, std::pair<int64_t, const Refusal *>> reasons;
  for (const Placement &placement : plan.placements()) {
    if (placement.region >= 0) {
      continue;
    }
    if (placement.refusal.needsIntegers) {
      summary.reason =
          "the model computes in float and " + device.name().str() + " in " + typesOf(device);
      summary.remedy = kQuantizeRemedy.str();
      summary.needsIntegers = true;
      return;
    }
    auto &[count, refusal] = reasons[placement.refusal.reason];
    ++count;
    refusal = &placement.refusal;
  }
  auto *most = llvm::max_element(
      reasons, [](const auto &a, const auto &b) { return a.second.first < b.second.first; });
  if (most != reasons.end()) {
    summary.reason = most->second.second->reason;
    summary.remedy = most->second.second->remedy;
  }
}

} // namespace

PlaceDialect::PlaceDialect(MLIRContext *context)
    : AttributeDialect(getDialectNamespace(), context, TypeID::get<PlaceDialect>(), kRules) {}

PlacementSummary summarizePlan(const DevicePlan &plan, const accelerators::Accelerator &device,
                               PlacePolicy policy) {
  PlacementSummary summary;
  summary.device = device.name().str();
  summary.ops = static_cast<int64_t>(plan.placements().size());
  summary.regions = plan.regionCount();
  summary.policy = policy;
  for (const Placement &placement : plan.placements()) {
    summary.slowerOps += placement.isSlower;
    if (placement.region >= 0) {
      ++summary.placedOps;
      summary.deviceNs += placement.deviceNs;
      summary.cpuNs += estimateCpuNs(placement.op);
    }
  }
  setReason(plan, device, summary);
  return summary;
}

void storePlacement(func::FuncOp function, const PlacementSummary &summary) {
  Builder builder(function.getContext());
  SmallVector<NamedAttribute> fields;
  auto add = [&](StringRef name, Attribute value) {
    fields.push_back(builder.getNamedAttr(name, value));
  };
  add("device", builder.getStringAttr(summary.device));
  add("ops", builder.getI64IntegerAttr(summary.ops));
  add("placed_ops", builder.getI64IntegerAttr(summary.placedOps));
  add("regions", builder.getI64IntegerAttr(summary.regions));
  add("slower_ops", builder.getI64IntegerAttr(summary.slowerOps));
  add("device_ns", builder.getF64FloatAttr(summary.deviceNs));
  add("cpu_ns", builder.getF64FloatAttr(summary.cpuNs));
  add("fastest", builder.getBoolAttr(summary.policy == PlacePolicy::Fastest));
  add("reason", builder.getStringAttr(summary.reason));
  add("remedy", builder.getStringAttr(summary.remedy));
  function->setAttr(kPlacementAttr, builder.getDictionaryAttr(fields));
}

PlacementSummary loadPlacement(func::FuncOp function) {
  PlacementSummary summary;
  auto fields = function->getAttrOfType<DictionaryAttr>(kPlacementAttr);
  if (!fields) {
    return summary;
  }
  auto text = [&](StringRef name) { return fields.getAs<StringAttr>(name).str(); };
  auto count = [&](StringRef name) { return fields.getAs<IntegerAttr>(name).getInt(); };
  auto time = [&](StringRef name) { return fields.getAs<FloatAttr>(name).getValueAsDouble(); };
  summary.device = text("device");
  summary.ops = count("ops");
  summary.placedOps = count("placed_ops");
  summary.regions = count("regions");
  summary.slowerOps = count("slower_ops");
  summary.deviceNs = time("device_ns");
  summary.cpuNs = time("cpu_ns");
  summary.policy =
      fields.getAs<BoolAttr>("fastest").getValue() ? PlacePolicy::Fastest : PlacePolicy::All;
  summary.reason = text("reason");
  summary.remedy = text("remedy");
  summary.needsIntegers = summary.remedy == kQuantizeRemedy;
  return summary;
}

} // namespace convoy::place
