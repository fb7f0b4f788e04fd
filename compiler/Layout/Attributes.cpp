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

constexpr graph::AttributeRule kRules[] = {
    {kMeasuredAttr, AttributeHolder::Op, "an array", graph::isAttr<ArrayAttr>},
    {kMeasurementsAttr, AttributeHolder::Module,
     "a dictionary of the string hash and the integers kernels, tuned and kept", isMeasurements},
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

} // namespace convoy::layout
