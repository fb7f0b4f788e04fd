// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small models and temporary files for tests.

#pragma once

#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "Support/test/TestFolder.h"
#include "convoy/model.h"
#include <string>
#include <vector>

namespace convoy::test {

inline void setType(onnx::ValueInfoProto &value, const std::string &name, int32_t type,
                    const std::vector<std::string> &dims) {
  value.set_name(name);
  auto *tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (const std::string &text : dims) {
    int64_t size = 0;
    auto *dim = tensor->mutable_shape()->add_dim();
    if (llvm::StringRef(text).getAsInteger(10, size)) {
      dim->set_dim_param(text);
    } else {
      dim->set_dim_value(size);
    }
  }
}

/// Returns a model y = op(x). A dimension that is not a number is a name.
inline onnx::ModelProto unaryModel(const std::string &op, const std::vector<std::string> &dims,
                                   int32_t type = onnx::TensorProto::FLOAT) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::NodeProto *node = model.mutable_graph()->add_node();
  node->set_op_type(op);
  node->set_name("the_node");
  node->add_input("x");
  node->add_output("y");
  setType(*model.mutable_graph()->add_input(), "x", type, dims);
  setType(*model.mutable_graph()->add_output(), "y", type, dims);
  return model;
}

inline Model loaded(onnx::ModelProto proto) {
  return Model(std::make_shared<import::Model>(
      import::Model{std::make_shared<onnx::ModelProto>(std::move(proto)), "", "model"}));
}

} // namespace convoy::test
