// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, sets and verifies the attributes of the layout stage.

#include "Layout/Attributes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace convoy::layout {
namespace {

using graph::AttributeHolder;

bool isMeasurements(Attribute attribute) {
  return graph::hasFields<StringAttr>(attribute, {"hash"}) &&
         graph::hasFields<IntegerAttr>(attribute, {"kernels", "tuned", "kept"});
}

bool isReasons(Attribute attribute) {
  if (!graph::hasFields<ArrayAttr>(attribute, {"refusals"}) ||
      !graph::hasFields<StringAttr>(attribute, {"remark"})) {
    return false;
  }
  auto refusals = cast<DictionaryAttr>(attribute).getAs<ArrayAttr>("refusals");
  return llvm::all_of(refusals, [](Attribute refusal) {
    return graph::hasFields<StringAttr>(refusal, {"reason", "template"});
  });
}

constexpr graph::AttributeRule kRules[] = {
    {kMeasuredAttr, AttributeHolder::Op, "an array", graph::isAttr<ArrayAttr>},
    {kMeasurementsAttr, AttributeHolder::Module,
     "a dictionary of the string hash and the integers kernels, tuned and kept", isMeasurements},
    {kReasonsAttr, AttributeHolder::Op, "a dictionary of refusals and remark", isReasons},
};

} // namespace

LayoutDialect::LayoutDialect(MLIRContext *context)
    : AttributeDialect(getDialectNamespace(), context, TypeID::get<LayoutDialect>(), kRules) {}

std::optional<UsedMeasurements> usedMeasurements(ModuleOp module) {
  auto fields = module->getAttrOfType<DictionaryAttr>(kMeasurementsAttr);
  if (!fields) {
    return std::nullopt;
  }
  auto count = [&](StringRef name) { return fields.getAs<IntegerAttr>(name).getInt(); };
  return UsedMeasurements{fields.getAs<StringAttr>("hash").str(),
                          {count("kernels"), count("tuned"), count("kept")}};
}

void setUsedMeasurements(ModuleOp module, const UsedMeasurements &used) {
  Builder builder(module.getContext());
  NamedAttribute fields[] = {
      builder.getNamedAttr("hash", builder.getStringAttr(used.hash)),
      builder.getNamedAttr("kernels", builder.getI64IntegerAttr(used.counts.kernels)),
      builder.getNamedAttr("tuned", builder.getI64IntegerAttr(used.counts.tuned)),
      builder.getNamedAttr("kept", builder.getI64IntegerAttr(used.counts.kept))};
  module->setAttr(kMeasurementsAttr, builder.getDictionaryAttr(fields));
}

std::optional<Reasons> reasonsOf(Operation *op) {
  auto fields = op->getAttrOfType<DictionaryAttr>(kReasonsAttr);
  if (!fields) {
    return std::nullopt;
  }
  Reasons reasons;
  reasons.remark = fields.getAs<StringAttr>("remark").str();
  for (auto refusal : fields.getAs<ArrayAttr>("refusals").getAsRange<DictionaryAttr>()) {
    reasons.refusals.push_back(
        {refusal.getAs<StringAttr>("template").str(), refusal.getAs<StringAttr>("reason").str()});
  }
  return reasons;
}

void setReasons(Operation *op, const Reasons &reasons) {
  Builder builder(op->getContext());
  SmallVector<Attribute> refusals;
  for (const TemplateRefusal &refusal : reasons.refusals) {
    refusals.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("template", builder.getStringAttr(refusal.templateId)),
         builder.getNamedAttr("reason", builder.getStringAttr(refusal.reason))}));
  }
  op->setAttr(kReasonsAttr,
              builder.getDictionaryAttr(
                  {builder.getNamedAttr("refusals", builder.getArrayAttr(refusals)),
                   builder.getNamedAttr("remark", builder.getStringAttr(reasons.remark))}));
}

} // namespace convoy::layout
