// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of the common case read the fields of the array. All other cases call NumPy.

#include "ArrayConversion.h"
#include "DLPack.h"
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace convoy::python {
namespace {

using py::detail::array_descriptor_proxy;
using py::detail::array_proxy;
using py::detail::npy_api;

constexpr size_t kAlignmentBytes = 64;
constexpr int kPlainFlags = npy_api::NPY_ARRAY_C_CONTIGUOUS_ | npy_api::NPY_ARRAY_ALIGNED_;
constexpr char kSwappedOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<';

std::string shapeText(const py::ssize_t *sizes, size_t rank) {
  std::string text = "[";
  for (size_t i = 0; i < rank; ++i) {
    text += (i ? ", " : "") + std::to_string(sizes[i]);
  }
  return text + "]";
}

std::string typeName(py::handle value) { return Py_TYPE(value.ptr())->tp_name; }
std::string dtypeText(const py::array &array) { return py::str(array.dtype()); }

bool isPythonNumberOrList(py::handle value) {
  return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) || PyLong_Check(value.ptr()) ||
         PyFloat_Check(value.ptr()) || PyComplex_Check(value.ptr());
}

/// Returns whether an array is row-major, aligned and in the byte order of the machine.
bool isPlain(py::handle array) {
  return (array_proxy(array.ptr())->flags & kPlainFlags) == kPlainFlags &&
         array_descriptor_proxy(array_proxy(array.ptr())->descr)->byteorder != kSwappedOrder;
}

py::module_ numpy() { return py::module_::import("numpy"); }

} // namespace

void Reasons::raise() const {
  py::object error = py::module_::import("convoy_runtime._errors").attr("argument_error")(list);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

Slot::Slot(const char *kind, const convoy_tensor &tensor, const py::object &description)
    : kind(kind), interned(py::reinterpret_steal<py::str>(PyUnicode_InternFromString(tensor.name))),
      elementType(description.attr("element_type").cast<std::string>()),
      dtype(py::reinterpret_borrow<py::dtype>(description.attr("dtype"))), typeNumber(dtype.num()),
      shape(tensor.shape, tensor.shape + tensor.rank), byteCount(tensor.bytes) {}

std::string Slot::text(const std::string &clause) const {
  return kind + " '" + interned.cast<std::string>() + "': " + clause;
}

void *Slot::inPlace(py::handle value) const {
  if (!npy_api::get().PyArray_Check_(value.ptr())) {
    return nullptr;
  }
  const auto *array = array_proxy(value.ptr());
  bool isRight = array_descriptor_proxy(array->descr)->type_num == typeNumber && isPlain(value) &&
                 array->nd == static_cast<int>(shape.size()) &&
                 std::equal(shape.begin(), shape.end(), array->dimensions);
  return isRight ? array->data : nullptr;
}

py::array Slot::toArray(const py::object &value, bool &isLoose, Reasons &reasons) const {
  isLoose = false;
  try {
    if (npy_api::get().PyArray_Check_(value.ptr())) {
      return value;
    }
    if (isPythonNumberOrList(value)) {
      isLoose = true;
      return numpy().attr("asarray")(value);
    }
    if (py::hasattr(value, "__dlpack__")) {
      bool isBFloat16 = false;
      py::array array = viewOfDLPack(value, isBFloat16);
      if (isBFloat16 && elementType != "bfloat16") {
        reasons.add("type", text("expected " + elementType + ", got bfloat16"));
        return py::reinterpret_steal<py::array>(py::handle());
      }
      return array;
    }
    if (py::isinstance(value, numpy().attr("generic")) || py::hasattr(value, "__array__")) {
      return numpy().attr("asarray")(value);
    }
    if (PyObject_CheckBuffer(value.ptr())) {
      return numpy().attr("asarray")(py::memoryview(value));
    }
  } catch (const std::invalid_argument &error) {
    reasons.add("value", text(error.what()));
    return py::reinterpret_steal<py::array>(py::handle());
  } catch (py::error_already_set &error) {
    if (!error.matches(PyExc_Exception)) {
      throw; // KeyboardInterrupt
    }
    reasons.add("type",
                text("cannot be converted to an array: " + std::string(py::str(error.value()))));
    return py::reinterpret_steal<py::array>(py::handle());
  }
  reasons.add("type", text("expected an array of " + elementType + " " +
                           shapeText(shape.data(), shape.size()) + ", got " + typeName(value)));
  return py::reinterpret_steal<py::array>(py::handle());
}

bool Slot::checkShape(const py::array &array, Reasons &reasons) const {
  bool isRight = array.ndim() == static_cast<py::ssize_t>(shape.size()) &&
                 std::equal(shape.begin(), shape.end(), array.shape());
  if (!isRight) {
    reasons.add("value", text("expected shape " + shapeText(shape.data(), shape.size()) + ", got " +
                              shapeText(array.shape(), static_cast<size_t>(array.ndim()))));
  }
  return isRight;
}

py::array Slot::withType(py::array array, bool isLoose, Reasons &reasons) const {
  py::object given = array.attr("dtype");
  if (py::object(given.attr("newbyteorder")("=")).equal(dtype)) {
    return array;
  }
  // Types of the package ml_dtypes have the size of the bits and the name of the type.
  if (given.attr("name").cast<std::string>() == elementType &&
      array.itemsize() == dtype.itemsize()) {
    return array.attr("view")(dtype);
  }
  if (isLoose && numpy().attr("can_cast")(given, dtype, "same_kind").cast<bool>()) {
    py::array cast = array.attr("astype")(dtype);
    bool isInteger = std::string("iu").find(dtype.kind()) != std::string::npos;
    if (!isInteger || numpy().attr("array_equal")(cast, array).cast<bool>()) {
      return cast;
    }
    reasons.add("value", text("a value is outside the range of " + elementType));
    return py::reinterpret_steal<py::array>(py::handle());
  }
  std::string wanted = py::str(dtype);
  std::string bits = wanted == elementType ? "" : " (the bits of " + elementType + ")";
  reasons.add("type", text("expected " + wanted + bits + ", got " + dtypeText(array) +
                           "; convert it with array.astype(numpy." + wanted + ")"));
  return py::reinterpret_steal<py::array>(py::handle());
}

const void *Slot::read(const py::object &value, std::vector<py::object> &owners,
                       Reasons &reasons) const {
  // A subclass may have a mask.
  bool isExact = Py_TYPE(value.ptr()) == npy_api::get().PyArray_Type_;
  if (const void *data = isExact ? inPlace(value) : nullptr) {
    owners.push_back(value);
    return data;
  }
  bool isLoose = false;
  py::array array = toArray(value, isLoose, reasons);
  if (!array || !checkShape(array, reasons)) {
    return nullptr;
  }
  if (py::isinstance(array, numpy().attr("ma").attr("MaskedArray"))) {
    reasons.add("type", text("expected an array without a mask; use array.filled(value)"));
    return nullptr;
  }
  array = withType(std::move(array), isLoose, reasons);
  if (!array) {
    return nullptr;
  }
  if (!isPlain(array)) {
    array = numpy().attr("array")(array, py::arg("dtype") = dtype, py::arg("order") = "C",
                                  py::arg("copy") = true);
  }
  owners.push_back(array);
  return array.data();
}

void *Slot::write(py::handle value, Reasons &reasons) const {
  std::string wanted = "expected a writable array of " + std::string(py::str(dtype)) + " " +
                       shapeText(shape.data(), shape.size()) + " in row-major order";
  if (!npy_api::get().PyArray_Check_(value.ptr())) {
    reasons.add("type", text("out: " + wanted + ", got " + typeName(value)));
    return nullptr;
  }
  void *data = inPlace(value);
  auto array = py::reinterpret_borrow<py::array>(value);
  if (data && array.writeable()) {
    return data;
  }
  bool isTypeRight = py::object(array.attr("dtype")).equal(dtype);
  std::string got =
      dtypeText(array) + " " + shapeText(array.shape(), static_cast<size_t>(array.ndim())) +
      (array.writeable() ? "" : ", read-only") + (isPlain(array) ? "" : ", in another order");
  reasons.add(isTypeRight ? "value" : "type", text("out: " + wanted + ", got " + got));
  return nullptr;
}

py::array Slot::allocate() const {
  void *memory = nullptr;
  if (posix_memalign(&memory, kAlignmentBytes, std::max(byteCount, kAlignmentBytes)) != 0) {
    throw std::bad_alloc();
  }
  py::capsule owner(memory, [](void *taken) { std::free(taken); });
  return {dtype, shape, memory, owner};
}

} // namespace convoy::python
