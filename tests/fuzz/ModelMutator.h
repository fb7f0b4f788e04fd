// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutates an ONNX model into another model that protobuf can parse. Protobuf rejects almost all
// inputs with randomly changed bytes, so they would not reach the importer.

#pragma once

#include "Import/OnnxProto.h"
#include <random>
#include <string>
#include <vector>

namespace convoy::fuzz {

class ModelMutator {
public:
  ModelMutator(onnx::ModelProto &model, unsigned seed) : model(model), random(seed) {}

  /// Applies one mutation.
  void mutate();
  /// Copies a part of another model, or its whole graph with values of this model as inputs.
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
  /// Fills the tensor with small integers of the element type, as many as its shape requires.
  void fill(onnx::TensorProto &tensor, int32_t type);
  /// Changes the element type of all tensors that share one.
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
