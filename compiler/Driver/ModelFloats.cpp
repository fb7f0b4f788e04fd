// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads only the types that the file states, so it needs no type inference. The values of a model
// enter through inputs, constants and casts; other nodes keep the float type of their operands.

#include "Driver/ModelFloats.h"
#include "Import/OnnxProto.h"
#include "llvm/ADT/StringMap.h"

namespace convoy::driver {
namespace {

class FloatFinder {
public:
  /// Subgraphs read the values of the graphs around them, so all names share one table. A name that
  /// several graphs define keeps its last type.
  void visit(const onnx::GraphProto &graph) {
    for (const onnx::ValueInfoProto &input : graph.input()) {
      types[input.name()] = input.type().tensor_type().elem_type();
    }
    for (const onnx::TensorProto &tensor : graph.initializer()) {
      types[tensor.name()] = tensor.data_type();
    }
    for (const onnx::NodeProto &node : graph.node()) {
      visit(node);
    }
  }

  ElementType result = ElementType::F32;

private:
  void visit(const onnx::NodeProto &node) {
    bool isCast = node.op_type() == "Cast";
    for (const std::string &input : node.input()) {
      count(isCast ? 0 : types.lookup(input));
    }
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      bool isType = isCast && attribute.name() == "to";
      if ((isType || attribute.has_t()) && node.output_size() > 0) {
        types[node.output(0)] =
            isType ? static_cast<int32_t>(attribute.i()) : attribute.t().data_type();
      }
      if (attribute.has_g()) {
        visit(attribute.g());
      }
    }
  }

  void count(int32_t type) {
    if (type == onnx::TensorProto::BFLOAT16) {
      result = ElementType::BF16;
    } else if (type == onnx::TensorProto::FLOAT16 && result == ElementType::F32) {
      result = ElementType::F16;
    }
  }

  llvm::StringMap<int32_t> types; // of ONNX, by the name of the value
};

} // namespace

ElementType narrowestFloat(const import::Model &model) {
  FloatFinder finder;
  finder.visit(model.proto->graph());
  return finder.result;
}

} // namespace convoy::driver
