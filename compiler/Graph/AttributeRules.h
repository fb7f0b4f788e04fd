// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the attributes that stages exchange. Each dialect has a table of its attributes: the
// name, the IR that may hold it and its form. The dialect's verifier then rejects a misspelled
// name, a wrong holder and a wrong form. scripts/lint/attributes.py rejects code that spells a name
// a second time.

#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Operation.h"

namespace convoy::graph {

/// The IR that may hold an attribute.
enum class AttributeHolder { Module, Function, Argument, ArgumentOrResult, Op };

struct AttributeRule {
  llvm::StringLiteral name;
  AttributeHolder holder;
  /// The form in words, for the error: "a string".
  llvm::StringLiteral form;
  bool (*hasForm)(mlir::Attribute);
};

/// Forms that several tables use.
template <typename T>
bool isAttr(mlir::Attribute attribute) {
  return mlir::isa<T>(attribute);
}
bool isCount(mlir::Attribute attribute); ///< An i64 integer of at least 0.

/// Returns whether the attribute is a dictionary with a field of type `T` for each name.
template <typename T>
bool hasFields(mlir::Attribute attribute, llvm::ArrayRef<llvm::StringRef> names) {
  auto fields = mlir::dyn_cast<mlir::DictionaryAttr>(attribute);
  return fields && llvm::all_of(names, [&](llvm::StringRef name) { return fields.getAs<T>(name); });
}

/// Verify an attribute of an op, of an argument or of a result against the rules of its dialect.
mlir::LogicalResult verifyOpAttribute(mlir::Operation *op, mlir::NamedAttribute attribute,
                                      llvm::ArrayRef<AttributeRule> rules);
mlir::LogicalResult verifyArgumentAttribute(mlir::Operation *op, mlir::NamedAttribute attribute,
                                            llvm::ArrayRef<AttributeRule> rules);
mlir::LogicalResult verifyResultAttribute(mlir::Operation *op, mlir::NamedAttribute attribute,
                                          llvm::ArrayRef<AttributeRule> rules);

/// A dialect without ops and types. It verifies the attributes of one stage.
class AttributeDialect : public mlir::Dialect {
public:
  mlir::LogicalResult verifyOperationAttribute(mlir::Operation *op,
                                               mlir::NamedAttribute attribute) override {
    return verifyOpAttribute(op, attribute, rules);
  }
  mlir::LogicalResult verifyRegionArgAttribute(mlir::Operation *op, unsigned region,
                                               unsigned argument,
                                               mlir::NamedAttribute attribute) override {
    return verifyArgumentAttribute(op, attribute, rules);
  }
  mlir::LogicalResult verifyRegionResultAttribute(mlir::Operation *op, unsigned region,
                                                  unsigned result,
                                                  mlir::NamedAttribute attribute) override {
    return verifyResultAttribute(op, attribute, rules);
  }

protected:
  AttributeDialect(llvm::StringRef prefix, mlir::MLIRContext *context, mlir::TypeID id,
                   llvm::ArrayRef<AttributeRule> rules)
      : Dialect(prefix, context, id), rules(rules) {}

private:
  llvm::ArrayRef<AttributeRule> rules;
};

} // namespace convoy::graph
