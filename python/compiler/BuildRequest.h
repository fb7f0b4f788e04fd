// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model and the settings that all functions of the module `convoy` share, as a Workflow. The
// Python file _request.py checks the types of the arguments.

#pragma once

#include "convoy/workflow.h"
#include "io/ImageFlags.h"
#include <pybind11/pybind11.h>

namespace convoy::python {

namespace py = pybind11;

/// Throws convoy.Error with all problems.
[[noreturn]] void raiseProblems(const Problems &problems);
/// Returns [(kind, text, notes)] of the warnings.
py::list warningsOf(const Problems &problems);

class BuildRequest {
public:
  /// Reads a file, or decodes `data` unless it is None. A failure is a problem of workflow().
  BuildRequest(const std::string &path, const py::object &data, const std::string &name);

  /// Sets everything else. `values` has one value per keyword of the table of options.
  void set(const py::dict &values, const py::object &samples, const py::dict &constants);

  /// Returns the forms of the inputs by name, or None if the model cannot be read.
  py::object kinds() const;
  /// Returns the inputs and outputs as tuples of convoy_runtime.Tensor.
  py::tuple signature() const;

  const Result<Model> &model() const { return read; }
  const Workflow &workflow() const { return steps; }
  const std::string &path() const { return file; }
  /// Returns the opener of the tuning records, or an empty function.
  const RecordsOpener &records() const { return recordsOpener; }
  /// Returns how an image becomes a tensor.
  const io::ImageFlags &image() const { return imageFlags; }
  int64_t fileBytes() const { return bytes; }
  /// Returns the model and the complete request. Throws the problems.
  ModelRequest complete(Emit emit, Problems &problems) const;

private:
  void setPins(const py::dict &values, const py::dict &constants);

  std::string file;
  int64_t bytes = 0;
  Result<Model> read;
  Workflow steps;
  RecordsOpener recordsOpener;
  io::ImageFlags imageFlags;
};

} // namespace convoy::python
