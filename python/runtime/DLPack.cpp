// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structures follow the ABI of DLPack 0.8, which NumPy 1.24 and PyTorch use.

#include "DLPack.h"
#include <stdexcept>

namespace convoy::python {
namespace {

enum DeviceType : int32_t { kCpu = 1, kCudaHost = 3, kRocmHost = 11 };
enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBFloat = 4,
  kComplex = 5,
  kBool = 6,
};

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t ndim;
  DataType dtype;
  int64_t *shape, *strides; // strides in elements; null: row-major
  uint64_t byteOffset;
};

struct ManagedTensor {
  DLTensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *);
};

py::dtype dtypeOf(const DataType &type) {
  std::string kind = type.code == kInt                         ? "i"
                     : type.code == kUInt                      ? "u"
                     : type.code == kFloat                     ? "f"
                     : type.code == kComplex                   ? "c"
                     : type.code == kBFloat && type.bits == 16 ? "u"
                     : type.code == kBool && type.bits == 8    ? "?"
                                                               : "";
  if (kind.empty() || type.lanes != 1 || type.bits % 8 != 0) {
    throw std::invalid_argument("its DLPack type has no NumPy type");
  }
  return py::dtype(kind == "?" ? kind : kind + std::to_string(type.bits / 8));
}

/// Takes the tensor out of the capsule. The result calls the tensor's deleter.
py::capsule takeTensor(const py::object &object, ManagedTensor *&managed) {
  py::object capsule = object.attr("__dlpack__")();
  managed = static_cast<ManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!managed) {
    PyErr_Clear();
    throw std::invalid_argument("its __dlpack__ returned no capsule 'dltensor'");
  }
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  return py::capsule(managed, [](void *taken) {
    auto *tensor = static_cast<ManagedTensor *>(taken);
    if (tensor->deleter) {
      tensor->deleter(tensor);
    }
  });
}

} // namespace

py::array viewOfDLPack(const py::object &object, bool &isBFloat16) {
  ManagedTensor *managed = nullptr;
  py::capsule owner = takeTensor(object, managed);
  const DLTensor &tensor = managed->tensor;
  if (tensor.deviceType != kCpu && tensor.deviceType != kCudaHost &&
      tensor.deviceType != kRocmHost) {
    throw std::invalid_argument("its memory is on a device of DLPack type " +
                                std::to_string(tensor.deviceType) +
                                "; copy it to the memory of the CPU");
  }
  if (tensor.ndim < 0 || tensor.ndim > 32) {
    throw std::invalid_argument("it has " + std::to_string(tensor.ndim) + " dimensions");
  }
  isBFloat16 = tensor.dtype.code == kBFloat;
  py::dtype dtype = dtypeOf(tensor.dtype);
  std::vector<py::ssize_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  std::vector<py::ssize_t> strides(shape.size());
  py::ssize_t next = dtype.itemsize();
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = tensor.strides ? tensor.strides[i] * dtype.itemsize() : next;
    next *= shape[i];
  }
  return {dtype, std::move(shape), std::move(strides),
          static_cast<const char *>(tensor.data) + tensor.byteOffset, owner};
}

} // namespace convoy::python
