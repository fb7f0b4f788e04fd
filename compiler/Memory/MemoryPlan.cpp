// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the memory plan to an attribute of the module, and back.

#include "Memory/MemoryPlan.h"
#include "Graph/AttributeRules.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace convoy::memory {
namespace {

bool isCall(Attribute attribute) {
  return graph::hasFields<StringAttr>(attribute, {"kernel", "nodes"}) &&
         graph::hasFields<IntegerAttr>(attribute, {"weights_bytes"});
}

bool isTensor(Attribute attribute) {
  return graph::hasFields<IntegerAttr>(
             attribute, {"arena", "bytes", "call", "first", "last", "offset", "ring_rows"}) &&
         graph::hasFields<BoolAttr>(attribute, {"is_scratch"});
}

DictionaryAttr toAttr(const PlannedCall &call, Builder &builder) {
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("kernel", builder.getStringAttr(call.kernel)),
       builder.getNamedAttr("nodes", builder.getStringAttr(call.nodes)),
       builder.getNamedAttr("weights_bytes", builder.getI64IntegerAttr(call.weightsBytes))});
}

DictionaryAttr toAttr(const PlannedTensor &tensor, Builder &builder) {
  auto number = [&](StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  return builder.getDictionaryAttr(
      {number("arena", tensor.arena), number("bytes", tensor.bytes), number("call", tensor.call),
       number("first", tensor.first), number("last", tensor.last), number("offset", tensor.offset),
       number("ring_rows", tensor.ringRows),
       builder.getNamedAttr("is_scratch", builder.getBoolAttr(tensor.isScratch))});
}

PlannedTensor toTensor(DictionaryAttr fields) {
  auto number = [&](StringRef name) { return fields.getAs<IntegerAttr>(name).getInt(); };
  return {number("call"),  fields.getAs<BoolAttr>("is_scratch").getValue(),
          number("arena"), number("offset"),
          number("bytes"), number("first"),
          number("last"),  number("ring_rows")};
}

} // namespace

bool isPlan(Attribute attribute) {
  if (!graph::hasFields<ArrayAttr>(attribute, {"calls", "tensors"})) {
    return false;
  }
  auto fields = cast<DictionaryAttr>(attribute);
  return llvm::all_of(fields.getAs<ArrayAttr>("calls"), isCall) &&
         llvm::all_of(fields.getAs<ArrayAttr>("tensors"), isTensor);
}

std::optional<MemoryPlan> planOf(ModuleOp module) {
  auto fields = module->getAttrOfType<DictionaryAttr>(kPlanAttr);
  if (!fields) {
    return std::nullopt;
  }
  MemoryPlan plan;
  for (auto call : fields.getAs<ArrayAttr>("calls").getAsRange<DictionaryAttr>()) {
    plan.calls.push_back({call.getAs<StringAttr>("kernel").str(),
                          call.getAs<StringAttr>("nodes").str(),
                          call.getAs<IntegerAttr>("weights_bytes").getInt()});
  }
  for (auto tensor : fields.getAs<ArrayAttr>("tensors").getAsRange<DictionaryAttr>()) {
    plan.tensors.push_back(toTensor(tensor));
  }
  return plan;
}

void setPlan(ModuleOp module, const MemoryPlan &plan) {
  Builder builder(module.getContext());
  SmallVector<Attribute> calls, tensors;
  for (const PlannedCall &call : plan.calls) {
    calls.push_back(toAttr(call, builder));
  }
  for (const PlannedTensor &tensor : plan.tensors) {
    tensors.push_back(toAttr(tensor, builder));
  }
  module->setAttr(kPlanAttr, builder.getDictionaryAttr(
                                 {builder.getNamedAttr("calls", builder.getArrayAttr(calls)),
                                  builder.getNamedAttr("tensors", builder.getArrayAttr(tensors))}));
}

} // namespace convoy::memory
