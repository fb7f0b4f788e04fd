// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor keeps its array alive. The compiler may release the tensor in any thread, so the owner
// takes the interpreter lock when it ends.

#include "DatumConversion.h"
#include "../runtime/Interruptible.h"
#include "Driver/TensorConversion.h"
#include "Import/OnnxProto.h"
#include <pybind11/stl.h>

namespace convoy::python {
namespace {

TensorData toTensorData(const py::tuple &value) {
  TensorData data;
  data.type = static_cast<ElementType>(value[0].cast<int32_t>());
  if (data.type == ElementType::String) {
    py::tuple content = value[1];
    data.shape = content[0].cast<std::vector<int64_t>>();
    data.strings = content[1].cast<std::vector<std::string>>();
    return data;
  }
  py::array array = value[1];
  data.shape.assign(array.shape(), array.shape() + array.ndim());
  auto owner = std::make_shared<KeptObjects>();
  owner->add(array);
  data.bytes = std::shared_ptr<const void>(owner, array.data());
  return data;
}

py::tuple toPython(const Tensor &tensor) {
  py::object type = py::int_(static_cast<int32_t>(tensor.type()));
  if (tensor.type() == ElementType::String) {
    return py::make_tuple(type, py::make_tuple(tensor.shape().vec(), tensor.strings()));
  }
  py::object described = describeTensor({"", tensor.type(), {}, true, 0});
  std::vector<py::ssize_t> shape(tensor.shape().begin(), tensor.shape().end());
  // Without an owner, the constructor copies.
  py::array array(py::dtype::from_args(described.attr("dtype")), shape,
                  tensor.isEmpty() ? nullptr : tensor.raw());
  return py::make_tuple(type, array);
}

} // namespace

driver::Datum toDatum(const py::handle &value) {
  std::vector<driver::Datum> elements;
  if (py::isinstance<py::list>(value)) {
    for (py::handle element : value) {
      elements.push_back(toDatum(element));
    }
    return driver::Datum::sequence(std::move(elements));
  }
  auto tuple = py::reinterpret_borrow<py::tuple>(value);
  if (tuple.size() == 2) {
    return driver::Datum(llvm::cantFail(driver::toTensor(toTensorData(tuple))));
  }
  if (tuple.size() == 1) {
    elements.push_back(toDatum(tuple[0]));
  }
  return driver::Datum::optional(std::move(elements));
}

driver::NamedData toNamedData(const py::dict &values) {
  driver::NamedData data;
  for (auto [name, value] : values) {
    data[name.cast<std::string>()] = toDatum(value);
  }
  return data;
}

NamedTensors toNamedTensors(const py::dict &values) {
  NamedTensors tensors;
  for (auto [name, value] : values) {
    if (py::isinstance<py::tuple>(value) && py::len(value) == 2) {
      tensors[name.cast<std::string>()] = toTensorData(py::reinterpret_borrow<py::tuple>(value));
    }
  }
  return tensors;
}

py::object toPython(const driver::Datum &datum) {
  if (datum.isTensor()) {
    return toPython(datum.tensor);
  }
  py::list elements;
  for (const driver::Datum &element : datum.elements) {
    elements.append(toPython(element));
  }
  return datum.isSequence() ? py::object(elements) : py::object(py::tuple(elements));
}

py::tuple kindOf(const onnx::TypeProto &type) {
  if (type.has_sequence_type()) {
    return py::make_tuple("sequence", kindOf(type.sequence_type().elem_type()));
  }
  if (type.has_optional_type()) {
    return py::make_tuple("optional", kindOf(type.optional_type().elem_type()));
  }
  return py::make_tuple("tensor", type.tensor_type().elem_type());
}

py::object describeTensor(const TensorInfo &info) {
  py::object shape = py::none();
  if (info.hasRank) {
    shape = py::tuple(py::cast(info.shape));
  }
  return py::module_::import("convoy_runtime._tensor")
      .attr("Tensor")(info.name, static_cast<int32_t>(info.type), shape, info.bytes);
}

} // namespace convoy::python
