// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds outputs to a model, so that a run returns the values between layers.

#include "QuantizePlan/GraphView.h"
#include "QuantizePlan/WriteQdq.h"

namespace convoy::plan {

onnx::ModelProto addOutputs(const onnx::ModelProto &prepared,
                            const std::vector<std::string> &tensors) {
  onnx::ModelProto model = prepared;
  onnx::GraphProto &graph = *model.mutable_graph();
  GraphView view(prepared.graph());
  std::set<std::string> names = tensorNames(graph);
  std::set<std::string> added;
  for (const std::string &tensor : tensors) {
    // An output needs a name of its own and a node that computes it.
    bool isDirect = view.producer(tensor) && !view.isOutput(tensor) && added.insert(tensor).second;
    std::string name = isDirect ? tensor : freshName(names, tensor + "_observed");
    if (!isDirect) {
      onnx::NodeProto &copy = *graph.add_node();
      copy.set_op_type("Identity");
      copy.set_name(name);
      copy.add_input(tensor);
      copy.add_output(name);
    }
    onnx::ValueInfoProto &output = *graph.add_output();
    output.set_name(name);
    output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }
  return model;
}

} // namespace convoy::plan
