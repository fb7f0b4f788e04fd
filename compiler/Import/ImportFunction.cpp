// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports calls of functions that the model defines by inlining the function
// body. The installed protobuf classes may lack newer fields (default
// attributes, overloads); this file reads these from the unknown fields.

#include "Import/GraphImporter.h"
#include <google/protobuf/unknown_field_set.h>

using namespace mlir;

namespace convoy::import {
namespace {

// Field numbers in onnx.proto.
constexpr int kFunctionAttributeProto = 11;
constexpr int kFunctionOverload = 13;
constexpr int kNodeOverload = 8;
// Limit against hostile models: each nested call uses stack.
constexpr size_t kMaxCallDepth = 64;
// Limit on the call path in a node name, in bytes.
constexpr size_t kMaxPathBytes = 100;

std::string stringField(const google::protobuf::Message &message, int number) {
  const google::protobuf::UnknownFieldSet &fields =
      message.GetReflection()->GetUnknownFields(message);
  std::string value;
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField &field = fields.field(i);
    if (field.number() == number &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      value = field.length_delimited();
    }
  }
  return value;
}

std::string keyOf(StringRef domain, StringRef name, const google::protobuf::Message &message,
                  int overloadField) {
  StringRef plain = domain == "ai.onnx" ? "" : domain;
  return (plain + "\n" + name + "\n" + stringField(message, overloadField)).str();
}

} // namespace

LogicalResult GraphImporter::collectFunctions() {
  bool hasProblem = false;
  for (const onnx::FunctionProto &function : proto.functions()) {
    std::string key = keyOf(function.domain(), function.name(), function, kFunctionOverload);
    if (!functions.try_emplace(key, &function).second) {
      hasProblem = true;
      emitError(NameLoc::get(builder.getStringAttr(function.name())))
          << "function '" << function.domain() << "." << function.name()
          << "' is defined twice; its domain, name and overload must be unique";
    }
  }
  return failure(hasProblem);
}

const onnx::FunctionProto *GraphImporter::findFunction(const onnx::NodeProto &node) const {
  if (functions.empty()) {
    return nullptr;
  }
  return functions.lookup(keyOf(node.domain(), node.op_type(), node, kNodeOverload));
}

LogicalResult GraphImporter::bindFunctionInputs(NodeContext &node,
                                                const onnx::FunctionProto &function, Scope &inner) {
  if (node.numInputs() > static_cast<unsigned>(function.input_size())) {
    return node.error() << "calls a function with " << function.input_size() << " inputs, got "
                        << node.numInputs();
  }
  for (int i = 0; i < function.input_size(); ++i) {
    if (node.input(i)) {
      inner.values[function.input(i)] = node.input(i);
    } else {
      inner.absent.insert(function.input(i));
    }
  }
  const google::protobuf::UnknownFieldSet &fields =
      function.GetReflection()->GetUnknownFields(function);
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField &field = fields.field(i);
    if (field.number() != kFunctionAttributeProto ||
        field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      continue;
    }
    onnx::AttributeProto &attribute = functionDefaults.emplace_back();
    if (!attribute.ParseFromString(field.length_delimited())) {
      return node.error() << "calls a function with a default attribute that is not valid protobuf";
    }
    inner.attributes[attribute.name()] = &attribute;
  }
  for (const onnx::AttributeProto &attribute : node.node.attribute()) {
    if (const onnx::AttributeProto *given = node.attr(attribute.name())) {
      inner.attributes[attribute.name()] = given;
    }
  }
  return success();
}

LogicalResult GraphImporter::collectFunctionOutputs(NodeContext &node,
                                                    const onnx::FunctionProto &function) {
  bool hasProblem = false;
  for (const std::string &output : function.output()) {
    std::optional<Value> value = scope->find(output);
    if (!value) {
      node.error() << "calls a function whose output '" << output
                   << "' is not defined by any node of its body";
    }
    node.outputs.push_back(value.value_or(Value()));
    hasProblem |= !value || !*value;
  }
  return failure(hasProblem);
}

LogicalResult GraphImporter::importFunctionCall(NodeContext &node,
                                                const onnx::FunctionProto &function) {
  if (llvm::is_contained(activeFunctions, &function)) {
    return node.error() << "calls function '" << function.name()
                        << "' recursively; ONNX functions must not be recursive";
  }
  Scope inner;
  if (activeFunctions.size() >= kMaxCallDepth) {
    return node.unsupported() << "in function calls nested deeper than " << kMaxCallDepth;
  }
  if (failed(bindFunctionInputs(node, function, inner))) {
    return failure();
  }
  activeFunctions.push_back(&function);
  Scope *outer = std::exchange(scope, &inner);
  std::string outerPath = callPath;
  if (callPath.size() < kMaxPathBytes) {
    callPath = cast<NameLoc>(node.loc).getName().str() + "/";
  }
  llvm::StringMap<int64_t> outerOpsets = enterOpsets(function);
  bool hasProblem =
      failed(importNodes(function.node())) || failed(collectFunctionOutputs(node, function));
  opsets = outerOpsets;
  callPath = outerPath;
  scope = outer;
  activeFunctions.pop_back();
  node.hasFailed |= hasProblem;
  return failure(hasProblem);
}

} // namespace convoy::import
