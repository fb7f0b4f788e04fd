// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between Python's objects and the buffers of a model. An array of the right type, shape
// and order is used in place; an array in another order is copied; everything else is a reason of
// an exception.

#pragma once

#include "convoy/convoy.h"
#include <pybind11/numpy.h>
#include <string>
#include <vector>

namespace convoy::python {

namespace py = pybind11;

/// Reasons of an exception, in order. `kind` is "type", "name" or "value"; see _errors.py.
class Reasons {
public:
  void add(const char *kind, const std::string &text) { list.append(py::make_tuple(kind, text)); }
  bool isEmpty() const { return list.empty(); }
  /// Throws the exception.
  [[noreturn]] void raise() const;

private:
  py::list list;
};

/// An input or output of a model with the Python objects of its checks.
class Slot {
public:
  /// `kind` is "input" or "output", for messages.
  Slot(const char *kind, const convoy_tensor &tensor, const py::object &description);

  const py::str &name() const { return interned; }
  size_t bytes() const { return byteCount; }

  /// Returns the address of an array that a model can use in place, or null.
  void *inPlace(py::handle value) const;
  /// Returns the address of the elements of any object, and adds the objects that own them. Adds a
  /// reason and returns null if the object does not fit.
  const void *read(const py::object &value, std::vector<py::object> &owners,
                   Reasons &reasons) const;
  /// Returns the address of an array of the caller for an output, or null after a reason.
  void *write(py::handle value, Reasons &reasons) const;
  /// Returns a new array, aligned to 64 bytes, with undefined elements.
  py::array allocate() const;

private:
  py::array toArray(const py::object &value, bool &isLoose, Reasons &reasons) const;
  bool checkShape(const py::array &array, Reasons &reasons) const;
  /// Returns the array with the slot's type, or a null object after a reason.
  py::array withType(py::array array, bool isLoose, Reasons &reasons) const;
  std::string text(const std::string &clause) const;

  std::string kind;
  py::str interned;
  std::string elementType; // "bfloat16"
  py::dtype dtype;
  int typeNumber;
  std::vector<py::ssize_t> shape;
  size_t byteCount;
};

} // namespace convoy::python
