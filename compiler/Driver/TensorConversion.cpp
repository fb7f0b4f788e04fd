// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks data from outside. A converted tensor keeps the owner of its bytes alive.

#include "Driver/TensorConversion.h"

namespace convoy {

int64_t elementCountOf(const std::vector<int64_t> &shape) {
  return elementCount(shape).value_or(0);
}

int64_t elementBytes(ElementType type) { return storageBytes(type); }

namespace driver {

llvm::Expected<Tensor> toTensor(const TensorData &data) {
  std::optional<int64_t> count = elementCount(data.shape);
  if (!count || !elementTypeFromOnnx(static_cast<int64_t>(data.type)) ||
      data.type == ElementType::Undefined) {
    return llvm::createStringError("a tensor needs an element type and a shape without open "
                                   "dimensions");
  }
  if (data.type == ElementType::String) {
    if (static_cast<int64_t>(data.strings.size()) != *count) {
      return llvm::createStringError("a tensor of " + llvm::Twine(*count) + " strings has " +
                                     llvm::Twine(data.strings.size()));
    }
    Tensor tensor(data.type, data.shape);
    tensor.mutableStrings() = data.strings;
    return tensor;
  }
  if (*count > 0 && !data.bytes) {
    return llvm::createStringError("a tensor of " + llvm::Twine(*count) + " elements has no bytes");
  }
  return Tensor::view(data.type, data.shape, data.bytes.get(), data.bytes);
}

TensorData toTensorData(const Tensor &tensor) {
  TensorData data;
  data.type = tensor.type();
  data.shape = tensor.shape().vec();
  if (tensor.type() == ElementType::String) {
    data.strings = tensor.strings();
  } else {
    auto owner = std::make_shared<Tensor>(tensor);
    data.bytes = std::shared_ptr<const void>(owner, owner->raw());
  }
  return data;
}

} // namespace driver
} // namespace convoy
