// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy::Model of the public interface.

#include "convoy/model.h"
#include "Driver/AddProblem.h"
#include "Driver/ModelInputs.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "Support/ElementType.h"
#include "llvm/ADT/StringSet.h"

namespace convoy {
namespace {

TensorInfo infoOf(const onnx::ValueInfoProto &value) {
  TensorInfo info;
  info.name = value.name();
  info.hasRank = false;
  if (value.type().has_tensor_type()) {
    const onnx::TypeProto::Tensor &tensor = value.type().tensor_type();
    info.type = elementTypeFromOnnx(tensor.elem_type()).value_or(ElementType::Undefined);
    info.hasRank = tensor.has_shape();
    for (const auto &dim : tensor.shape().dim()) {
      info.shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    }
  }
  return info;
}

std::vector<TensorInfo> infosOf(llvm::ArrayRef<const onnx::ValueInfoProto *> values) {
  std::vector<TensorInfo> infos;
  for (const onnx::ValueInfoProto *value : values) {
    infos.push_back(infoOf(*value));
  }
  return infos;
}

Result<Model> wrap(llvm::Expected<import::Model> read) {
  if (!read) {
    Problems problems;
    addError(problems, read.takeError());
    return problems;
  }
  return Model(std::make_shared<import::Model>(std::move(*read)));
}

} // namespace

Result<Model> Model::read(const std::string &path) { return wrap(import::readModel(path)); }

Result<Model> Model::parse(std::string_view bytes, const std::string &name) {
  return wrap(import::parseModel(llvm::StringRef(bytes.data(), bytes.size()), name));
}

const std::string &Model::name() const { return decoded->name; }
std::vector<TensorInfo> Model::inputs() const { return infosOf(driver::freeInputs(*decoded)); }
std::vector<TensorInfo> Model::outputs() const { return infosOf(driver::outputsOf(*decoded)); }

namespace driver {

std::vector<const onnx::ValueInfoProto *> freeInputs(const import::Model &model) {
  llvm::StringSet<> initialized;
  const onnx::GraphProto &graph = model.proto->graph();
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    initialized.insert(initializer.name());
  }
  std::vector<const onnx::ValueInfoProto *> result;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    if (!initialized.count(input.name())) {
      result.push_back(&input);
    }
  }
  return result;
}

std::vector<const onnx::ValueInfoProto *> outputsOf(const import::Model &model) {
  std::vector<const onnx::ValueInfoProto *> result;
  for (const onnx::ValueInfoProto &output : model.proto->graph().output()) {
    result.push_back(&output);
  }
  return result;
}

} // namespace driver
} // namespace convoy
