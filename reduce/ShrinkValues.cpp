// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits tensors, types and attributes of small models.

#include "reduce/ShrinkValues.h"
#include "QuantizePlan/Initializers.h"
#include "Support/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

namespace convoy::reduce {
namespace {

// The sizes that replace a size, in this order. Powers of two keep most relations between sizes.
constexpr int64_t kSizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
// Integer tensors of at most this many elements can be shapes.
constexpr int64_t kMaxShapeElems = 16;

bool isFloatTensor(const onnx::TensorProto &tensor) {
  std::optional<ElementType> type = elementTypeFromOnnx(tensor.data_type());
  return type && isFloat(*type);
}

bool isShapeTensor(const onnx::TensorProto &tensor) {
  return tensor.data_type() == onnx::TensorProto::INT64 && tensor.dims_size() <= 1 &&
         (tensor.dims_size() == 0 || tensor.dims(0) <= kMaxShapeElems);
}

/// Returns the leading elements of each dimension.
Tensor leadingPart(const Tensor &tensor, const Shape &shape) {
  Tensor part(tensor.type(), shape);
  auto bytes = static_cast<size_t>(storageBytes(tensor.type()));
  Shape index(shape.size(), 0);
  for (int64_t i = 0; i < part.size(); ++i) {
    int64_t offset = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      offset = offset * tensor.dim(static_cast<int64_t>(dim)) + index[dim];
    }
    std::memcpy(static_cast<char *>(part.mutableRaw()) + static_cast<size_t>(i) * bytes,
                static_cast<const char *>(tensor.raw()) + static_cast<size_t>(offset) * bytes,
                bytes);
    for (size_t dim = shape.size(); dim-- > 0 && ++index[dim] == shape[dim];) {
      index[dim] = 0;
    }
  }
  return part;
}

/// Returns false if the tensor must change and cannot be decoded.
bool resizeTensor(onnx::TensorProto &proto, int64_t from, int64_t to) {
  bool isShape = isShapeTensor(proto);
  if (!isShape && !llvm::is_contained(proto.dims(), from)) {
    return true;
  }
  std::optional<Tensor> tensor = plan::decode(proto);
  if (!tensor || tensor->type() == ElementType::String || bitWidth(tensor->type()) < 4) {
    return false;
  }
  Shape shape(proto.dims().begin(), proto.dims().end());
  std::replace(shape.begin(), shape.end(), from, to);
  Tensor part = shape == Shape(tensor->shape()) ? *tensor : leadingPart(*tensor, shape);
  for (int64_t i = 0; isShape && i < part.size(); ++i) {
    if (part.asInt(i) == from) {
      part.setInt(i, to);
    }
  }
  proto = plan::encode(proto.name(), part);
  return true;
}

void resizeAttributes(onnx::NodeProto &node, int64_t from, int64_t to) {
  for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
    if (attribute.type() == onnx::AttributeProto::INT && attribute.i() == from) {
      attribute.set_i(to);
    }
    std::replace(attribute.mutable_ints()->begin(), attribute.mutable_ints()->end(), from, to);
  }
}

/// Returns the sizes above 1 of inputs and initializers, the largest first.
std::vector<int64_t> sizesOf(const onnx::GraphProto &graph) {
  std::set<int64_t> sizes;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    for (const auto &dim : input.type().tensor_type().shape().dim()) {
      sizes.insert(dim.dim_value());
    }
  }
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    sizes.insert(tensor.dims().begin(), tensor.dims().end());
  }
  std::vector<int64_t> list(sizes.rbegin(), sizes.rend());
  llvm::erase_if(list, [](int64_t size) { return size <= 1; });
  return list;
}

/// Returns the element of a generated weight: a multiple of 1/8 from -5/8 to 5/8 or, if all
/// elements are positive, from 1/8 to 11/8. Every float type has these numbers.
double generatedElement(int64_t i, bool isPositive) {
  return static_cast<double>(i * 7 % 11 - (isPositive ? -1 : 5)) / 8;
}

std::optional<onnx::TensorProto> generated(const onnx::TensorProto &proto, bool isPositive) {
  std::optional<Tensor> tensor = plan::decode(proto);
  if (!tensor) {
    return std::nullopt;
  }
  Tensor result(tensor->type(), tensor->shape());
  for (int64_t i = 0; i < result.size(); ++i) {
    result.setDouble(i, generatedElement(i, isPositive));
  }
  return plan::encode(proto.name(), result);
}

bool isGenerated(const onnx::TensorProto &proto) {
  return llvm::any_of(std::initializer_list<bool>{false, true}, [&](bool isPositive) {
    std::optional<onnx::TensorProto> same = generated(proto, isPositive);
    return same && same->raw_data() == proto.raw_data();
  });
}

/// Generates the elements of the initializers for which `isChosen` holds. Vectors are positive,
/// because a variance or a scale can be among them.
onnx::ModelProto withGenerated(const onnx::ModelProto &model,
                               llvm::function_ref<bool(int)> isChosen, bool isPositive) {
  onnx::ModelProto candidate = model;
  for (int i = 0; i < model.graph().initializer_size(); ++i) {
    const onnx::TensorProto &tensor = model.graph().initializer(i);
    if (!isFloatTensor(tensor) || !isChosen(i)) {
      continue;
    }
    bool isVector = tensor.dims_size() <= 1;
    if (std::optional<onnx::TensorProto> other = generated(tensor, isVector || isPositive)) {
      *candidate.mutable_graph()->mutable_initializer(i) = std::move(*other);
    }
  }
  return candidate;
}

bool accept(onnx::ModelProto &model, onnx::ModelProto candidate, Fails fails) {
  bool isAccepted = fails(candidate);
  if (isAccepted) {
    model = std::move(candidate);
  }
  return isAccepted;
}

} // namespace

std::optional<onnx::ModelProto> resized(const onnx::ModelProto &model, int64_t from, int64_t to,
                                        bool changesAttributes) {
  onnx::ModelProto result = model;
  onnx::GraphProto &graph = *result.mutable_graph();
  for (onnx::ValueInfoProto &input : *graph.mutable_input()) {
    for (auto &dim : *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
      if (dim.dim_value() == from) {
        dim.set_dim_value(to);
      }
    }
  }
  for (onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    if (!resizeTensor(tensor, from, to)) {
      return std::nullopt;
    }
  }
  for (onnx::ValueInfoProto &output : *graph.mutable_output()) {
    output.mutable_type()->mutable_tensor_type()->clear_shape(); // the importer infers it
  }
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    if (changesAttributes) {
      resizeAttributes(node, from, to);
    }
  }
  return result;
}

bool shrinkSizes(onnx::ModelProto &model, Fails fails) {
  bool isChanged = false;
  for (int64_t from : sizesOf(model.graph())) {
    bool isShrunk = false;
    for (int64_t to : kSizes) {
      for (bool changesAttributes : {false, true}) {
        if (to >= from || isShrunk) {
          break;
        }
        std::optional<onnx::ModelProto> candidate = resized(model, from, to, changesAttributes);
        isShrunk = candidate && accept(model, std::move(*candidate), fails);
      }
    }
    isChanged |= isShrunk;
  }
  return isChanged;
}

bool generateWeights(onnx::ModelProto &model, Fails fails) {
  for (bool isPositive : {false, true}) {
    if (accept(model, withGenerated(model, [](int) { return true; }, isPositive), fails)) {
      return true;
    }
  }
  bool isChanged = false;
  for (int i = 0; i < model.graph().initializer_size(); ++i) {
    if (isFloatTensor(model.graph().initializer(i))) {
      auto isChosen = [&](int other) { return other == i; };
      isChanged |= accept(model, withGenerated(model, isChosen, false), fails) ||
                   accept(model, withGenerated(model, isChosen, true), fails);
    }
  }
  return isChanged;
}

std::pair<size_t, size_t> countGenerated(const onnx::ModelProto &model) {
  size_t made = 0, all = 0;
  for (const onnx::TensorProto &tensor : model.graph().initializer()) {
    bool isFloat = isFloatTensor(tensor);
    all += isFloat ? 1 : 0;
    made += isFloat && isGenerated(tensor) ? 1 : 0;
  }
  return {made, all};
}

bool dropAttributes(onnx::ModelProto &model, Fails fails) {
  bool isChanged = false;
  for (int node = 0; node < model.graph().node_size(); ++node) {
    for (int i = model.graph().node(node).attribute_size() - 1; i >= 0; --i) {
      onnx::ModelProto candidate = model;
      candidate.mutable_graph()->mutable_node(node)->mutable_attribute()->DeleteSubrange(i, 1);
      isChanged |= accept(model, std::move(candidate), fails);
    }
  }
  return isChanged;
}

} // namespace convoy::reduce
