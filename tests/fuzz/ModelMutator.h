// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a model that keep it a model: bytes changed at random are refused by
// protobuf almost always, and what lies behind it would stay untested.

#pragma once

#include "Import/OnnxProto.h"
#include <random>
#include <string>
#include <vector>

namespace convoy::fuzz {

class ModelMutator {
public:
  ModelMutator(onnx::ModelProto &model, unsigned seed) : model(model), random(seed) {}

  /// Changes one thing.
  void mutate();
  /// Takes something from another model: a part of it, or all of its graph, fed
  /// from values of this one.
  void cross(const onnx::ModelProto &other);

private:
  using Message = google::protobuf::Message;
  using Field = google::protobuf::FieldDescriptor;

  unsigned below(size_t bound) { return bound == 0 ? 0 : random() % bound; }
  bool oneIn(unsigned count) { return below(count) == 0; }
  template <typename Container>
  auto &pick(Container &items) {
    return items[below(items.size())];
  }

  void mutateField(Message &message, const Field *field);
  void mutateRepeated(Message &message, const Field *field);
  void mutateScalar(Message &message, const Field *field, int index);
  void setString(Message &message, const Field *field, int index);
  void reshape(onnx::TensorProto &tensor);
  /// Small integers of an element type, as many as the shape says.
  void fill(onnx::TensorProto &tensor, int32_t type);
  /// Another element type for all that have one in common.
  void retype();
  void remakeType(onnx::TypeProto::Tensor &type);
  void replaceOp(onnx::NodeProto &node);
  void rewireNode(onnx::NodeProto &node);
  void appendGraph(onnx::GraphProto other);

  int64_t anyInteger(int64_t old);
  double anyFloat(double old);
  int32_t anyElementType();
  std::string anyBytes(std::string old, bool keepsSize);

  onnx::ModelProto &model;
  std::minstd_rand random;
};

} // namespace convoy::fuzz
