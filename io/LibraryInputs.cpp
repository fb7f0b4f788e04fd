// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "io/LibraryInputs.h"

namespace convoy::io {

std::vector<onnx::ValueInfoProto> valuesOf(const std::vector<TensorInfo> &inputs) {
  std::vector<onnx::ValueInfoProto> values;
  for (const TensorInfo &input : inputs) {
    onnx::ValueInfoProto &value = values.emplace_back();
    value.set_name(input.name);
    onnx::TypeProto::Tensor &type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(static_cast<int32_t>(input.type));
    for (int64_t size : input.shape) {
      type.mutable_shape()->add_dim()->set_dim_value(size);
    }
    type.mutable_shape(); // a scalar has a shape, too
  }
  return values;
}

InputInfo inputInfo(const onnx::ValueInfoProto &value) {
  InputInfo info{&value, value.name(), ElementType::Undefined, Shape()};
  const onnx::TypeProto::Tensor &type = value.type().tensor_type();
  info.type = elementTypeFromOnnx(type.elem_type()).value_or(ElementType::Undefined);
  for (const auto &dim : type.shape().dim()) {
    info.shape->push_back(dim.dim_value());
  }
  return info;
}

} // namespace convoy::io
