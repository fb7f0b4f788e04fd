// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts nodes and parameters in the file, then ops in the imported graph.

#include "Driver/InspectModel.h"
#include "Driver/ImportRequested.h"
#include "Driver/ModelInputs.h"
#include "Graph/Attributes.h"
#include "Import/OnnxProto.h"
#include "Support/ShapeText.h"
#include "Support/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;

namespace convoy::driver {
namespace {

std::string elementName(int64_t dataType) {
  std::optional<ElementType> type = elementTypeFromOnnx(dataType);
  return type ? name(*type).str() : "type " + std::to_string(dataType);
}

/// Returns the type that the file declares: "float32 [batch, 3, 224, 224]".
std::string declaredType(const onnx::TypeProto &type) {
  if (type.has_sequence_type()) {
    return "sequence of " + declaredType(type.sequence_type().elem_type());
  }
  if (type.has_optional_type()) {
    return "optional " + declaredType(type.optional_type().elem_type());
  }
  if (!type.has_tensor_type()) {
    return "untyped";
  }
  std::string element = elementName(type.tensor_type().elem_type());
  if (!type.tensor_type().has_shape()) {
    return element + " of any shape";
  }
  std::vector<std::string> dims;
  for (const auto &dim : type.tensor_type().shape().dim()) {
    dims.push_back(dim.has_dim_value()       ? std::to_string(dim.dim_value())
                   : dim.dim_param().empty() ? "?"
                                             : dim.dim_param());
  }
  return element + " [" + llvm::join(dims, ", ") + "]";
}

Counts sorted(const std::map<std::string, int64_t> &counts) {
  Counts result(counts.begin(), counts.end());
  llvm::sort(result, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return result;
}

/// Adds the elements and bytes of a tensor. Reads only the tensor's type and shape.
void addWeights(const onnx::TensorProto &tensor, InspectedModel &facts) {
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  int64_t count = elementCount(shape).value_or(0);
  ElementType type = elementTypeFromOnnx(tensor.data_type()).value_or(ElementType::Undefined);
  facts.parameters += count;
  facts.weightBytes += (count * bitWidth(type) + 7) / 8;
}

void readGraph(const onnx::GraphProto &graph, std::map<std::string, int64_t> &ops,
               InspectedModel &facts) {
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    addWeights(initializer, facts);
  }
  for (const onnx::NodeProto &node : graph.node()) {
    facts.nodes++;
    bool isStandard = node.domain().empty() || node.domain() == "ai.onnx";
    ops[isStandard ? node.op_type() : node.domain() + "." + node.op_type()]++;
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g()) {
        readGraph(attribute.g(), ops, facts);
      }
      if (isStandard && node.op_type() == "Constant" && attribute.has_t()) {
        addWeights(attribute.t(), facts);
      }
    }
  }
}

InspectedModel readFacts(const import::Model &model) {
  const onnx::ModelProto &proto = *model.proto;
  InspectedModel facts;
  facts.producer = proto.producer_name() +
                   (proto.producer_version().empty() ? "" : " " + proto.producer_version());
  facts.irVersion = proto.ir_version();
  for (const onnx::OperatorSetIdProto &opset : proto.opset_import()) {
    facts.opsets.push_back({opset.domain().empty() ? "ai.onnx" : opset.domain(), opset.version()});
  }
  for (const onnx::ValueInfoProto *input : freeInputs(model)) {
    facts.inputs.push_back({input->name(), declaredType(input->type()), ""});
  }
  for (const onnx::ValueInfoProto *output : outputsOf(model)) {
    facts.outputs.push_back({output->name(), declaredType(output->type()), ""});
  }
  std::map<std::string, int64_t> ops;
  readGraph(proto.graph(), ops, facts);
  facts.nodesByOp = sorted(ops);
  return facts;
}

std::string inferredType(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked) {
    return "";
  }
  return (name(fromMlir(ranked.getElementType())) + " " + shapeText(ranked.getShape())).str();
}

void readModule(ModuleOp module, InspectedModel &facts) {
  std::map<std::string, int64_t> ops;
  module.walk([&](Operation *op) {
    if (op->getDialect() && op->getDialect()->getNamespace() == "graph") {
      ops[op->getName().getStringRef().str()]++;
      facts.graphOpCount++;
    }
  });
  facts.graphOps = sorted(ops);
  auto function = module.lookupSymbol<func::FuncOp>("main");
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    StringAttr name = graph::argumentName(function, i);
    for (InspectedValue &input : facts.inputs) {
      input.inferred = input.name == name ? inferredType(type) : input.inferred;
    }
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    if (i < facts.outputs.size()) {
      facts.outputs[i].inferred = inferredType(type);
    }
  }
}

} // namespace

InspectedModel inspectModel(const Model &model, const InputPins &pins, Problems &problems) {
  InspectedModel facts = readFacts(model.file());
  CompileContext context;
  CompileRequest request;
  request.inputs = pins;
  request.inputs.allowsOpenDims = true;
  ResolvedTarget anywhere;
  if (OwningOpRef<ModuleOp> module = importRequested(model, request, anywhere, context)) {
    readModule(*module, facts);
  } else if (!context.log.hasErrors()) {
    context.log.addBug("this is a bug in convoy: a step failed without a diagnostic");
  }
  problems.append(context.log.problems());
  return facts;
}

} // namespace convoy::driver
