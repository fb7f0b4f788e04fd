// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, sets and verifies the attributes of the memory stage.

#include "Memory/Attributes.h"
#include "Memory/MemoryPlan.h"
#include "Memory/Passes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace convoy::memory {
namespace {

using graph::AttributeHolder;

std::optional<Role> parseRole(StringRef name) {
  for (Role role : {Role::Input, Role::Output, Role::Arena, Role::Weights}) {
    if (name == nameOf(role)) {
      return role;
    }
  }
  return std::nullopt;
}

bool isRole(Attribute attribute) {
  auto name = dyn_cast<StringAttr>(attribute);
  return name && parseRole(name.getValue());
}

bool isArenas(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::all_of(list, [](Attribute entry) {
           return graph::hasFields<StringAttr>(entry, {"memory"}) &&
                  graph::hasFields<IntegerAttr>(entry, {"bytes"});
         });
}

bool isPeak(Attribute attribute) {
  return graph::hasFields<StringAttr>(attribute, {"node"}) &&
         graph::hasFields<IntegerAttr>(attribute, {"bytes"});
}

constexpr graph::AttributeRule kRules[] = {
    {kArenaBytesAttr, AttributeHolder::Module, "a number of bytes", graph::isCount},
    {kAlignmentAttr, AttributeHolder::Module, "a number of bytes", graph::isCount},
    {kArenasAttr, AttributeHolder::Module, "an array of dictionaries of memory and bytes",
     isArenas},
    {kCopiedWeightsAttr, AttributeHolder::Module, "an array of i64",
     graph::isAttr<DenseI64ArrayAttr>},
    {kPeakAttr, AttributeHolder::Module, "a dictionary of node and bytes", isPeak},
    {kPlanAttr, AttributeHolder::Module, "a dictionary of calls and tensors", isPlan},
    {kWeightsAttr, AttributeHolder::Module, "an array", graph::isAttr<ArrayAttr>},
    {kWeightOffsetsAttr, AttributeHolder::Module, "an array of i64",
     graph::isAttr<DenseI64ArrayAttr>},
    {kWeightsBytesAttr, AttributeHolder::Module, "a number of bytes", graph::isCount},
    {kRoleAttr, AttributeHolder::Argument, "input, output, arena or weights", isRole},
    {kOffsetAttr, AttributeHolder::Argument, "a number of bytes", graph::isCount},
    {kArenaAttr, AttributeHolder::Argument, "an i64 of at least 0", graph::isCount},
    {kInputRowsAttr, AttributeHolder::Argument, "an i64 of at least 0", graph::isCount},
};

std::optional<int64_t> bytesOf(ModuleOp module, StringRef name) {
  auto bytes = module->getAttrOfType<IntegerAttr>(name);
  return bytes ? std::optional(bytes.getInt()) : std::nullopt;
}

} // namespace

MemoryDialect::MemoryDialect(MLIRContext *context)
    : AttributeDialect(getDialectNamespace(), context, TypeID::get<MemoryDialect>(), kRules) {}

StringRef nameOf(Role role) {
  switch (role) {
  case Role::Input:
    return "input";
  case Role::Output:
    return "output";
  case Role::Arena:
    return "arena";
  case Role::Weights:
    return "weights";
  }
  llvm_unreachable("not a role");
}

std::optional<Role> roleOf(FunctionOpInterface function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, kRoleAttr);
  return name ? parseRole(name.getValue()) : std::nullopt;
}

void setRole(FunctionOpInterface function, unsigned index, Role role) {
  function.setArgAttr(index, kRoleAttr, StringAttr::get(function.getContext(), nameOf(role)));
}

std::optional<int64_t> arenaOffsetOf(FunctionOpInterface main, unsigned index) {
  auto offset = main.getArgAttrOfType<IntegerAttr>(index, kOffsetAttr);
  return offset ? std::optional(offset.getInt()) : std::nullopt;
}

std::optional<int64_t> inputRowsOf(FunctionOpInterface main, unsigned index) {
  auto rows = main.getArgAttrOfType<IntegerAttr>(index, kInputRowsAttr);
  return rows ? std::optional(rows.getInt()) : std::nullopt;
}

std::optional<unsigned> arenaArgument(FunctionOpInterface main) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    if (roleOf(main, i) == Role::Arena) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<int64_t> arenaBytesOf(ModuleOp module) { return bytesOf(module, kArenaBytesAttr); }

std::optional<int64_t> weightsBytesOf(ModuleOp module) {
  return bytesOf(module, kWeightsBytesAttr);
}

int64_t alignmentOf(ModuleOp module) {
  return bytesOf(module, kAlignmentAttr).value_or(kAlignment);
}

std::vector<Arena> arenasOf(ModuleOp module) {
  std::vector<Arena> arenas;
  auto list = module->getAttrOfType<ArrayAttr>(kArenasAttr);
  for (Attribute entry : list ? list.getValue() : ArrayRef<Attribute>()) {
    auto fields = cast<DictionaryAttr>(entry);
    arenas.push_back(
        {fields.getAs<StringAttr>("memory").str(), fields.getAs<IntegerAttr>("bytes").getInt()});
  }
  return arenas;
}

void setArenas(ModuleOp module, ArrayRef<Arena> arenas) {
  Builder builder(module.getContext());
  SmallVector<Attribute> list;
  for (const Arena &arena : arenas) {
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("memory", builder.getStringAttr(arena.memory)),
         builder.getNamedAttr("bytes", builder.getI64IntegerAttr(arena.bytes))}));
  }
  module->setAttr(kArenasAttr, builder.getArrayAttr(list));
}

ArrayRef<int64_t> copiedWeightsOf(ModuleOp module) {
  auto offsets = module->getAttrOfType<DenseI64ArrayAttr>(kCopiedWeightsAttr);
  return offsets ? offsets.asArrayRef() : ArrayRef<int64_t>();
}

std::optional<Peak> peakOf(ModuleOp module) {
  auto fields = module->getAttrOfType<DictionaryAttr>(kPeakAttr);
  if (!fields) {
    return std::nullopt;
  }
  return Peak{fields.getAs<StringAttr>("node").str(), fields.getAs<IntegerAttr>("bytes").getInt()};
}

void setPeak(ModuleOp module, const Peak &peak) {
  Builder builder(module.getContext());
  module->setAttr(kPeakAttr,
                  builder.getDictionaryAttr(
                      {builder.getNamedAttr("node", builder.getStringAttr(peak.node)),
                       builder.getNamedAttr("bytes", builder.getI64IntegerAttr(peak.bytes))}));
}

ArrayAttr weightsOf(ModuleOp module) { return module->getAttrOfType<ArrayAttr>(kWeightsAttr); }

DenseI64ArrayAttr weightOffsetsOf(ModuleOp module) {
  return module->getAttrOfType<DenseI64ArrayAttr>(kWeightOffsetsAttr);
}

void setArenaBytes(ModuleOp module, int64_t bytes) {
  module->setAttr(kArenaBytesAttr, Builder(module.getContext()).getI64IntegerAttr(bytes));
}

} // namespace convoy::memory
