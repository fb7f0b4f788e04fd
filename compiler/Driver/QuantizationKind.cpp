// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads only the op types of the nodes.

#include "Driver/QuantizationKind.h"
#include "Import/OnnxProto.h"
#include <algorithm>

namespace convoy::driver {
namespace {

/// Returns the kind that an op type implies.
QuantizationKind kindOf(llvm::StringRef op) {
  if (op == "DynamicQuantizeLinear") {
    return QuantizationKind::Dynamic;
  }
  bool isStatic = op == "QuantizeLinear" || op.starts_with("QLinear") || op == "ConvInteger" ||
                  op == "MatMulInteger" || op == "QGemm";
  return isStatic ? QuantizationKind::Static : QuantizationKind::None;
}

QuantizationKind quantizationOf(const onnx::GraphProto &graph) {
  QuantizationKind result = QuantizationKind::None;
  for (const onnx::NodeProto &node : graph.node()) {
    result = std::max(result, kindOf(node.op_type()));
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g()) {
        result = std::max(result, quantizationOf(attribute.g()));
      }
    }
  }
  return result;
}

} // namespace

QuantizationKind quantizationOf(const import::Model &model) {
  return quantizationOf(model.proto->graph());
}

} // namespace convoy::driver
