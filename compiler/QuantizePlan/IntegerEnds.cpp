// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives the inputs and outputs of a quantized model the integers of the plan. The caller of the
// model then quantizes inputs and dequantizes outputs:
//
//     x (f32) -> QuantizeLinear -> q -> DequantizeLinear -> ...      before
//     x (i8) -> DequantizeLinear -> ...                              after

#include "QuantizePlan/GraphView.h"
#include "QuantizePlan/Initializers.h"
#include "QuantizePlan/PrepareModel.h"
#include "QuantizePlan/WriteQdq.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::plan {
namespace {

class EndsWriter {
public:
  explicit EndsWriter(onnx::GraphProto &graph) : graph(graph) {}

  void changeInput(onnx::ValueInfoProto &input) {
    GraphView view(graph);
    const onnx::NodeProto *quantize = view.onlyReader(input.name());
    if (!quantize || quantize->op_type() != "QuantizeLinear" ||
        view.isOutput(quantize->output(0))) {
      return;
    }
    setType(input, *quantize);
    rename(quantize->output(0), input.name(), quantize);
    removed.insert(quantize);
  }

  void changeOutput(onnx::ValueInfoProto &output) {
    GraphView view(graph);
    const onnx::NodeProto *dequantize = view.producer(output.name());
    if (!dequantize || dequantize->op_type() != "DequantizeLinear") {
      return;
    }
    const onnx::NodeProto *quantize = view.producer(dequantize->input(0));
    if (!quantize || quantize->op_type() != "QuantizeLinear" ||
        view.isOutput(quantize->output(0))) {
      return;
    }
    setType(output, *quantize);
    std::string integers = quantize->output(0), reals = output.name();
    if (view.readers(reals).empty()) {
      removed.insert(dequantize);
    } else {
      std::set<std::string> names = tensorNames(graph);
      rename(reals, freshName(names, reals + "_dequantized"), nullptr);
    }
    rename(integers, reals, nullptr);
  }

  void finish() { removeNodes(graph, removed); }

private:
  /// Gives an end the type of a QuantizeLinear, which is that of its zero point.
  void setType(onnx::ValueInfoProto &end, const onnx::NodeProto &quantize) {
    const onnx::TensorProto *zero = findInitializer(graph, quantize.input(2));
    end.mutable_type()->mutable_tensor_type()->set_elem_type(zero->data_type());
  }

  /// Renames a tensor in all nodes but `except`.
  void rename(const std::string &from, const std::string &to, const onnx::NodeProto *except) {
    for (onnx::NodeProto &node : *graph.mutable_node()) {
      if (&node == except) {
        continue;
      }
      auto change = [&](std::string &name) { name = name == from ? to : name; };
      visitReads(node, change);
      llvm::for_each(*node.mutable_output(), change);
    }
  }

  onnx::GraphProto &graph;
  std::set<const onnx::NodeProto *> removed;
};

} // namespace

void makeEndsInteger(onnx::ModelProto &quantized) {
  onnx::GraphProto &graph = *quantized.mutable_graph();
  EndsWriter writer(graph);
  for (onnx::ValueInfoProto &input : *graph.mutable_input()) {
    writer.changeInput(input);
  }
  for (onnx::ValueInfoProto &output : *graph.mutable_output()) {
    writer.changeOutput(output);
  }
  writer.finish();
}

} // namespace convoy::plan
