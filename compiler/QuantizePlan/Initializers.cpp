// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes initializers, and chooses scales of weights from their largest elements.

#include "QuantizePlan/Initializers.h"
#include "Import/TensorProto.h"
#include "QuantizePlan/GraphView.h"
#include "QuantizePlan/Points.h"
#include <algorithm>
#include <cmath>

namespace convoy::plan {

std::optional<Tensor> decode(const onnx::TensorProto &proto) {
  llvm::Expected<Tensor> tensor = import::decodeTensor(proto, nullptr, "");
  if (!tensor) {
    llvm::consumeError(tensor.takeError());
    return std::nullopt;
  }
  return std::move(*tensor);
}

bool holdsFloats(const onnx::TensorProto &proto) {
  std::optional<int64_t> count = elementCount(Shape(proto.dims().begin(), proto.dims().end()));
  if (proto.data_type() != onnx::TensorProto::FLOAT || !count || *count == 0 ||
      proto.data_location() == onnx::TensorProto::EXTERNAL) {
    return false;
  }
  auto bytes = static_cast<int64_t>(proto.raw_data().size());
  return bytes > 0 ? bytes / 4 == *count && bytes % 4 == 0 : proto.float_data_size() == *count;
}

onnx::TensorProto encode(const std::string &name, const Tensor &tensor) {
  onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(static_cast<int32_t>(tensor.type()));
  for (int64_t size : tensor.shape()) {
    proto.add_dims(size);
  }
  if (bitWidth(tensor.type()) >= 8) {
    proto.set_raw_data(tensor.raw(), static_cast<size_t>(tensor.bytes()));
    return proto;
  }
  std::string packed(static_cast<size_t>((tensor.size() + 1) / 2), '\0');
  for (int64_t i = 0; i < tensor.size(); ++i) {
    auto bits = static_cast<unsigned>(tensor.asInt(i)) & 0xFU;
    char &byte = packed[static_cast<size_t>(i / 2)];
    byte = static_cast<char>(static_cast<unsigned char>(byte) | bits << (i % 2 * 4));
  }
  proto.set_raw_data(packed);
  return proto;
}

const onnx::TensorProto *findInitializer(const onnx::GraphProto &graph, const std::string &name) {
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    if (tensor.name() == name) {
      return &tensor;
    }
  }
  return nullptr;
}

void setInitializer(onnx::GraphProto &graph, onnx::TensorProto tensor) {
  for (onnx::TensorProto &existing : *graph.mutable_initializer()) {
    if (existing.name() == tensor.name()) {
      existing = std::move(tensor);
      return;
    }
  }
  *graph.add_initializer() = std::move(tensor);
}

void removeInitializers(onnx::GraphProto &graph,
                        const std::function<bool(const std::string &)> &isOf) {
  auto &tensors = *graph.mutable_initializer();
  tensors.erase(
      std::remove_if(tensors.begin(), tensors.end(),
                     [&](const onnx::TensorProto &tensor) { return isOf(tensor.name()); }),
      tensors.end());
}

int64_t innerElements(llvm::ArrayRef<int64_t> shape, int64_t axis) {
  int64_t inner = 1;
  for (int64_t size : shape.drop_front(static_cast<size_t>(axis) + 1)) {
    inner *= size;
  }
  return inner;
}

llvm::Error loadExternalData(onnx::ModelProto &model, const std::string &directory) {
  for (onnx::TensorProto &tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
      continue;
    }
    llvm::Expected<Tensor> loaded = import::decodeTensor(tensor, nullptr, directory);
    if (!loaded) {
      return loaded.takeError();
    }
    if (bitWidth(loaded->type()) >= 8) { // packed types are no weights of float layers
      tensor = encode(tensor.name(), *loaded);
    }
  }
  return llvm::Error::success();
}

std::vector<float> floatsOf(const onnx::ModelProto &prepared, const std::string &initializer) {
  const onnx::TensorProto *found = findInitializer(prepared.graph(), initializer);
  std::optional<Tensor> tensor = found ? decode(*found) : std::nullopt;
  if (!tensor || !isFloat(tensor->type())) {
    return {};
  }
  std::vector<float> floats(static_cast<size_t>(tensor->size()));
  for (int64_t i = 0; i < tensor->size(); ++i) {
    floats[static_cast<size_t>(i)] = static_cast<float>(tensor->asDouble(i));
  }
  return floats;
}

std::vector<int64_t> shapeOf(const onnx::ModelProto &prepared, const std::string &initializer) {
  const onnx::TensorProto *found = findInitializer(prepared.graph(), initializer);
  return found ? std::vector<int64_t>(found->dims().begin(), found->dims().end())
               : std::vector<int64_t>();
}

/// The least range of a channel's weights, as a share of the largest range. Training leaves
/// channels with weights near zero, and their bias in the scale of such weights would exceed 32
/// bits. The results of a smaller channel are below a quarter of a step of 8 bits.
constexpr double kLeastChannel = 1.0 / 1024;

WeightPlan weightPlan(const onnx::ModelProto &prepared, const Layer &layer, ElementType type) {
  WeightPlan plan;
  plan.tensor = layer.weight;
  plan.type = type;
  plan.axis = layer.axis;
  std::vector<float> reals = floatsOf(prepared, layer.weight);
  std::vector<int64_t> shape = shapeOf(prepared, layer.weight);
  int64_t channels = shape[static_cast<size_t>(layer.axis)];
  int64_t inner = innerElements(shape, layer.axis);
  std::vector<double> most(static_cast<size_t>(channels), 0);
  for (size_t i = 0; i < reals.size(); ++i) {
    double &peak = most[static_cast<int64_t>(i) / inner % channels];
    peak = std::max(peak, std::abs(static_cast<double>(reals[i])));
  }
  double least = *std::max_element(most.begin(), most.end()) * kLeastChannel;
  for (double peak : most) {
    auto highest = static_cast<double>(highestWeight(type));
    auto scale = static_cast<float>(std::max(peak, least) / highest);
    plan.scales.push_back(scale > 0 ? scale : 1);
  }
  return plan;
}

} // namespace convoy::plan
