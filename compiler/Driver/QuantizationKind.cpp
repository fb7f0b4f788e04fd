// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at op types alone.

#include "Driver/QuantizationKind.h"
#include "Import/OnnxProto.h"
#include <algorithm>

namespace convoy::driver {
namespace {

/// What the presence of an op says.
QuantizationKind kindOf(llvm::StringRef op) {
  if (op == "DynamicQuantizeLinear") {
    return QuantizationKind::Dynamic;
  }
  bool isStatic = op == "QuantizeLinear" || op.starts_with("QLinear") || op == "ConvInteger" ||
                  op == "MatMulInteger";
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
