// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up the rule of an attribute and reports the first property that does not hold.

#include "Graph/AttributeRules.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::graph {
namespace {

enum class Position { Op, Argument, Result };

StringRef textOf(AttributeHolder holder) {
  switch (holder) {
  case AttributeHolder::Module:
    return "a module";
  case AttributeHolder::Function:
    return "a function";
  case AttributeHolder::Argument:
    return "an argument of a function";
  case AttributeHolder::ArgumentOrResult:
    return "an argument or a result of a function";
  case AttributeHolder::Op:
    return "an op";
  }
  llvm_unreachable("not a holder");
}

bool mayHold(AttributeHolder holder, Operation *op, Position position) {
  switch (holder) {
  case AttributeHolder::Module:
    return position == Position::Op && isa<ModuleOp>(op);
  case AttributeHolder::Function:
    return position == Position::Op && isa<FunctionOpInterface>(op);
  case AttributeHolder::Argument:
    return position == Position::Argument;
  case AttributeHolder::ArgumentOrResult:
    return position != Position::Op;
  case AttributeHolder::Op:
    return position == Position::Op && !isa<ModuleOp>(op) && !isa<FunctionOpInterface>(op);
  }
  llvm_unreachable("not a holder");
}

LogicalResult verify(Operation *op, NamedAttribute attribute, ArrayRef<AttributeRule> rules,
                     Position position) {
  StringRef name = attribute.getName().getValue();
  const AttributeRule *rule =
      llvm::find_if(rules, [&](const AttributeRule &known) { return known.name == name; });
  if (rule == rules.end()) {
    InFlightDiagnostic error = op->emitOpError("has the unknown attribute '") << name << "'";
    auto names =
        llvm::map_range(rules, [](const AttributeRule &known) { return known.name.str(); });
    return error << "; expected one of: " << llvm::join(names, ", ");
  }
  if (!mayHold(rule->holder, op, position)) {
    return op->emitOpError("has the attribute '")
           << name << "', which belongs on " << textOf(rule->holder);
  }
  if (!rule->hasForm(attribute.getValue())) {
    return op->emitOpError("expects the attribute '")
           << name << "' to be " << rule->form << ", found " << attribute.getValue();
  }
  return success();
}

} // namespace

bool isCount(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  return number && number.getType().isInteger(64) && number.getInt() >= 0;
}

LogicalResult verifyOpAttribute(Operation *op, NamedAttribute attribute,
                                ArrayRef<AttributeRule> rules) {
  return verify(op, attribute, rules, Position::Op);
}

LogicalResult verifyArgumentAttribute(Operation *op, NamedAttribute attribute,
                                      ArrayRef<AttributeRule> rules) {
  return verify(op, attribute, rules, Position::Argument);
}

LogicalResult verifyResultAttribute(Operation *op, NamedAttribute attribute,
                                    ArrayRef<AttributeRule> rules) {
  return verify(op, attribute, rules, Position::Result);
}

} // namespace convoy::graph
