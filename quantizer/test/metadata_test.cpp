// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which changes of a model give a new attempt to prove.

#include "Import/OnnxProto.h"
#include "quantizer/Metadata.h"
#include "gtest/gtest.h"

namespace convoy::quantizer {
namespace {

onnx::ModelProto model() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  onnx::NodeProto &node = *model.mutable_graph()->add_node();
  node.set_op_type("Relu");
  node.add_input("x");
  node.add_output("y");
  return model;
}

TEST(ComputationHash, IgnoresTexts) {
  const std::string plain = computationHash(model());
  onnx::ModelProto described = model();
  described.set_doc_string("a");
  described.set_producer_name("b");
  described.mutable_graph()->set_name("c");
  described.mutable_graph()->set_doc_string("d");
  described.mutable_graph()->mutable_node(0)->set_doc_string("e");
  described.mutable_graph()->mutable_node(0)->set_name("f");
  described.add_metadata_props()->set_key("g");
  EXPECT_EQ(computationHash(described), plain);
}

TEST(ComputationHash, DependsOnOps) {
  onnx::ModelProto other = model();
  other.mutable_graph()->mutable_node(0)->set_op_type("Sigmoid");
  EXPECT_NE(computationHash(other), computationHash(model()));
}

} // namespace
} // namespace convoy::quantizer
