// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports nodes of declared custom ops. The op copies the declaration and the node's attributes, so
// later stages need neither.

#include "Import/CustomOps.h"
#include "Graph/Custom.h"
#include "Import/OnnxProto.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::import {
namespace {

/// Checks that the node has each input with a declared type.
LogicalResult checkInputs(NodeContext &n, const CustomOp &op) {
  if (n.numInputs() != op.inputs.size()) {
    return n.error() << "has " << n.numInputs() << " inputs, but " << op.file << " declares "
                     << op.inputs.size() << " for " << op.qualifiedName();
  }
  for (auto [i, input] : llvm::enumerate(op.inputs)) {
    if (failed(n.require(i, input.name))) {
      return failure();
    }
    std::string type = isa<TensorType>(n.input(i).getType()) ? name(n.element(n.input(i))).str()
                                                             : std::string("not a tensor");
    if (!input.types.empty() && !llvm::is_contained(input.types, type)) {
      return n.error() << "has input '" << input.name << "' of type " << type << ", but " << op.file
                       << " declares " << llvm::join(input.types, ", ");
    }
    if (graph::customElementType(type) == ElementType::Undefined) {
      return n.unsupported() << "with input '" << input.name << "' of type " << type
                             << "; custom ops have tensors of numbers of at least 8 bits and bool";
    }
  }
  return success();
}

/// Checks that every attribute of the node is declared.
LogicalResult checkAttributes(NodeContext &n, const CustomOp &op) {
  for (const std::string &name : n.attrNames()) {
    auto isNamed = [&](const CustomOp::Attribute &attribute) { return attribute.name == name; };
    if (llvm::none_of(op.attributes, isNamed)) {
      std::vector<std::string> names;
      for (const CustomOp::Attribute &attribute : op.attributes) {
        names.push_back(attribute.name);
      }
      return n.error() << "has attribute '" << name << "', but " << op.file << " declares "
                       << (names.empty() ? "no attributes" : llvm::join(names, ", "));
    }
  }
  return success();
}

Attribute valueOf(NodeContext &n, const CustomOp::Attribute &attribute) {
  const CustomOp::Value initial = attribute.initial.value_or(CustomOp::Value());
  bool isGiven = n.hasAttr(attribute.name);
  switch (attribute.type) {
  case CustomOp::ValueType::Int:
    return n.builder.getI64IntegerAttr(n.intAttr(attribute.name, initial.i));
  case CustomOp::ValueType::Float:
    return n.builder.getF32FloatAttr(static_cast<float>(n.floatAttr(attribute.name, initial.f)));
  case CustomOp::ValueType::String:
    return n.builder.getStringAttr(n.stringAttr(attribute.name, initial.s));
  case CustomOp::ValueType::Ints:
    return n.builder.getDenseI64ArrayAttr(n.intsAttr(attribute.name, initial.ints));
  case CustomOp::ValueType::Floats:
    break;
  }
  SmallVector<float> floats;
  if (isGiven) {
    llvm::append_range(floats, n.floatsAttr(attribute.name));
  } else {
    llvm::append_range(floats, initial.floats);
  }
  return n.builder.getDenseF32ArrayAttr(floats);
}

/// Adds the names and values of the attributes. Fails if the node lacks a required attribute.
LogicalResult addAttributes(NodeContext &n, const CustomOp &op, SmallVector<StringRef> &names,
                            SmallVector<Attribute> &values) {
  for (const CustomOp::Attribute &attribute : op.attributes) {
    if (!attribute.initial && !n.hasAttr(attribute.name)) {
      return n.error() << "requires attribute '" << attribute.name << "', because " << op.file
                       << " declares no default";
    }
    names.push_back(attribute.name);
    values.push_back(valueOf(n, attribute));
  }
  return success(!n.hasFailed);
}

Attribute shapeOf(NodeContext &n, const CustomOp::Output &output) {
  SmallVector<StringRef> dims(output.dims.begin(), output.dims.end());
  return output.like.empty() ? Attribute(n.builder.getStrArrayAttr(dims))
                             : n.builder.getStringAttr(output.like);
}

} // namespace

LogicalResult importCustom(NodeContext &n, const CustomOp &op) {
  SmallVector<StringRef> inputs, names, types;
  SmallVector<Attribute> values, shapes;
  if (failed(checkInputs(n, op)) || failed(checkAttributes(n, op)) ||
      failed(addAttributes(n, op, names, values))) {
    return failure();
  }
  for (const CustomOp::Input &input : op.inputs) {
    inputs.push_back(input.name);
  }
  for (const CustomOp::Output &output : op.outputs) {
    types.push_back(output.type);
    shapes.push_back(shapeOf(n, output));
  }
  OpBuilder &b = n.builder;
  StringAttr operations = op.operations.empty() ? StringAttr() : b.getStringAttr(op.operations);
  return n.yield(n.emitVariadic<graph::CustomOp>(
      op.outputs.size(), n.allInputs(), b.getStringAttr(op.qualifiedName()),
      b.getStringAttr(op.function), b.getStrArrayAttr(inputs), b.getStrArrayAttr(names),
      b.getArrayAttr(values), b.getStrArrayAttr(types), b.getArrayAttr(shapes), operations));
}

} // namespace convoy::import
