// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads tensors of other libraries by the DLPack protocol. NumPy exports the outputs, so there is
// no exporter here.

#pragma once

#include <pybind11/numpy.h>
#include <string>

namespace convoy::python {

namespace py = pybind11;

/// Returns a view of an object with `__dlpack__`. A bfloat16 tensor becomes an array of uint16 and
/// sets `isBFloat16`. The array keeps the object's memory alive. Throws std::invalid_argument with
/// a clause that follows the name of the tensor, or an exception of the object.
py::array viewOfDLPack(const py::object &object, bool &isBFloat16);

} // namespace convoy::python
