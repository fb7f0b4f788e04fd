// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, sets and verifies the attributes of the memory stage.

#include "Memory/Attributes.h"
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

constexpr graph::AttributeRule kRules[] = {
    {kArenaBytesAttr, AttributeHolder::Module, "a number of bytes", graph::isCount},
    {kWeightsAttr, AttributeHolder::Module, "an array", graph::isAttr<ArrayAttr>},
    {kWeightOffsetsAttr, AttributeHolder::Module, "an array of i64",
     graph::isAttr<DenseI64ArrayAttr>},
    {kWeightsBytesAttr, AttributeHolder::Module, "a number of bytes", graph::isCount},
    {kRoleAttr, AttributeHolder::Argument, "input, output, arena or weights", isRole},
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

ArrayAttr weightsOf(ModuleOp module) { return module->getAttrOfType<ArrayAttr>(kWeightsAttr); }

DenseI64ArrayAttr weightOffsetsOf(ModuleOp module) {
  return module->getAttrOfType<DenseI64ArrayAttr>(kWeightOffsetsAttr);
}

void setArenaBytes(ModuleOp module, int64_t bytes) {
  module->setAttr(kArenaBytesAttr, Builder(module.getContext()).getI64IntegerAttr(bytes));
}

} // namespace convoy::memory
