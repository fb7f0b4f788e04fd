// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts values of the Python file _values.py to the compiler's values and back. That file checks
// types and describes the forms.

#pragma once

#include "Driver/LoadedProgram.h"
#include "convoy/tensor.h"
#include <pybind11/numpy.h>

namespace onnx {
class TypeProto;
} // namespace onnx

namespace convoy::python {

namespace py = pybind11;

/// Shares the memory of arrays. The caller holds the interpreter lock.
driver::Datum toDatum(const py::handle &value);
driver::NamedData toNamedData(const py::dict &values);
NamedTensors toNamedTensors(const py::dict &values);

/// Copies the elements.
py::object toPython(const driver::Datum &datum);

/// Returns the form of a type: ("tensor", ONNX type), ("sequence", form) or ("optional", form).
py::tuple kindOf(const onnx::TypeProto &type);

/// Returns a convoy_runtime.Tensor without a buffer.
py::object describeTensor(const TensorInfo &info);

} // namespace convoy::python
