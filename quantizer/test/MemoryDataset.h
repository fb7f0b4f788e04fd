// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A data set in memory, and small models, for tests.

#pragma once

#include "Import/OnnxProto.h"
#include "convoy/workflow.h"
#include "io/Dataset.h"
#include <random>

namespace convoy::test {

class MemoryDataset : public io::Dataset {
public:
  explicit MemoryDataset(std::vector<NamedTensors> samples) : samples(std::move(samples)) {}

  size_t size() const override { return samples.size(); }
  std::string nameOf(size_t index) const override { return "sample " + std::to_string(index); }
  Result<NamedTensors> read(size_t index) const override { return samples[index]; }
  std::optional<int64_t> label(size_t) const override { return std::nullopt; }
  bool hasLabels() const override { return false; }
  uint64_t hashOf(size_t index) const override { return index; }
  const io::DatasetFlags &flags() const override { return noFlags; }

private:
  std::vector<NamedTensors> samples;
  io::DatasetFlags noFlags;
};

/// Returns values between -1 and 1 that are the same on every platform.
inline std::vector<float> randomFloats(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(count);
  for (float &value : values) {
    value = static_cast<float>(random() >> 40) * 0x1p-23F - 1;
  }
  return values;
}

inline MemoryDataset randomDataset(const std::string &input, const std::vector<int64_t> &shape,
                                   size_t count) {
  std::vector<NamedTensors> samples;
  for (size_t i = 0; i < count; ++i) {
    samples.push_back({{input, tensorOf(shape, randomFloats(elementCountOf(shape), 100 + i))}});
  }
  return MemoryDataset(std::move(samples));
}

inline void addInitializer(onnx::ModelProto &model, const std::string &name,
                           const std::vector<int64_t> &shape, const std::vector<float> &values) {
  onnx::TensorProto *tensor = model.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t dim : shape) {
    tensor->add_dims(dim);
  }
  for (float value : values) {
    tensor->add_float_data(value);
  }
}

inline onnx::NodeProto &addNode(onnx::ModelProto &model, const std::string &op,
                                const std::vector<std::string> &inputs, const std::string &output) {
  onnx::NodeProto *node = model.mutable_graph()->add_node();
  node->set_op_type(op);
  node->set_name(op + "_" + output);
  for (const std::string &input : inputs) {
    node->add_input(input);
  }
  node->add_output(output);
  return *node;
}

inline void addInts(onnx::NodeProto &node, const std::string &name,
                    const std::vector<int64_t> &values) {
  onnx::AttributeProto *attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  for (int64_t value : values) {
    attribute->add_ints(value);
  }
}

inline void addInt(onnx::NodeProto &node, const std::string &name, int64_t value) {
  onnx::AttributeProto *attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}

/// Returns a model with one input and one output and no nodes.
inline onnx::ModelProto emptyModel(const std::string &input, const std::vector<int64_t> &shape,
                                   const std::string &output) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::ValueInfoProto *x = model.mutable_graph()->add_input();
  x->set_name(input);
  auto *type = x->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  for (int64_t dim : shape) {
    type->mutable_shape()->add_dim()->set_dim_value(dim);
  }
  onnx::ValueInfoProto *y = model.mutable_graph()->add_output();
  y->set_name(output);
  y->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  return model;
}

/// Returns x -> Conv (3 x 3, 2 to 4 channels) -> Relu -> depthwise Conv -> GlobalAveragePool ->
/// Flatten -> Gemm. Biases are b1, b2, b3.
inline onnx::ModelProto smallNetwork() {
  onnx::ModelProto model = emptyModel("x", {1, 2, 6, 6}, "y");
  addInitializer(model, "w1", {4, 2, 3, 3}, randomFloats(72, 1));
  addInitializer(model, "b1", {4}, randomFloats(4, 2));
  addInitializer(model, "w2", {4, 1, 3, 3}, randomFloats(36, 3));
  addInitializer(model, "b2", {4}, randomFloats(4, 4));
  addInitializer(model, "w3", {4, 5}, randomFloats(20, 5));
  addInitializer(model, "b3", {5}, randomFloats(5, 6));
  onnx::NodeProto &first = addNode(model, "Conv", {"x", "w1", "b1"}, "c1");
  addInts(first, "pads", {1, 1, 1, 1});
  addNode(model, "Relu", {"c1"}, "r1");
  onnx::NodeProto &second = addNode(model, "Conv", {"r1", "w2", "b2"}, "c2");
  addInt(second, "group", 4);
  addInts(second, "strides", {2, 1});
  addNode(model, "GlobalAveragePool", {"c2"}, "p");
  addNode(model, "Flatten", {"p"}, "f");
  addNode(model, "Gemm", {"f", "w3", "b3"}, "y");
  return model;
}

} // namespace convoy::test
