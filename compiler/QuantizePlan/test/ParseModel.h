// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models in ONNX's textual syntax, for tests of this folder.

#pragma once

#include "Import/OnnxProto.h"
#include "QuantizePlan/Initializers.h"
#include "QuantizePlan/Points.h"
#include <gtest/gtest.h>
#include <onnx/defs/parser.h>

namespace convoy::plan::test {

/// Parses the graph `body` with an opset. `body` is "(inputs) => (outputs) <initializers> {nodes}".
inline onnx::ModelProto parse(const std::string &body, int opset = 17) {
  std::string text =
      "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\nmodel " + body;
  onnx::ModelProto model;
  onnx::Common::Status status = onnx::OnnxParser::Parse(model, text.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  return model;
}

/// Returns the ops of a model in order, separated by spaces.
inline std::string opsOf(const onnx::ModelProto &model) {
  std::string ops;
  for (const onnx::NodeProto &node : model.graph().node()) {
    ops += (ops.empty() ? "" : " ") + node.op_type();
  }
  return ops;
}

/// Returns the node that computes a tensor, or an empty node.
inline onnx::NodeProto producerOf(const onnx::ModelProto &model, const std::string &tensor) {
  for (const onnx::NodeProto &node : model.graph().node()) {
    for (const std::string &output : node.output()) {
      if (output == tensor) {
        return node;
      }
    }
  }
  ADD_FAILURE() << "no node computes " << tensor;
  return {};
}

/// Returns the names of activations with the numbers of their ties: "x y:0 z:0".
inline std::string namesOf(const Points &points) {
  std::string text;
  for (const Activation &activation : points.activations) {
    text += (text.empty() ? "" : " ") + activation.tensor +
            (activation.tie < 0 ? "" : ":" + std::to_string(activation.tie));
  }
  return text;
}

inline Points pointsOf(const onnx::ModelProto &model) { return findPoints(prepareModel(model)); }

/// Two convolutions with a max pool between them: the shape of most small networks.
inline onnx::ModelProto smallNetwork(int opset = 17) {
  return parse(R"((float[1, 1, 4, 4] x) => (float[1, 2, 2, 2] y)
      <float[2, 1, 1, 1] w = {1.27, -0.5}, float[2] b = {0.25, 0.5},
       float[2, 2, 1, 1] v = {0.1, 0.2, 0.3, -12.7}>
      {
        c = Conv (x, w, b)
        r = Relu (c)
        p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (r)
        s = Conv (p, v)
        y = Softmax (s)
      })",
               opset);
}

} // namespace convoy::plan::test
