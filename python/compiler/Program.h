// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles models into this process and to files.

#pragma once

#include "BuildRequest.h"
#include "convoy/artifact.h"
#include <atomic>
#include <mutex>

namespace convoy::python {

/// A compiled model. convoy.CompiledModel owns it and runs it through its table; a model without a
/// table runs here.
class Program {
public:
  Program(Artifact artifact, py::tuple inputs, py::tuple outputs, Problems problems);

  /// Returns a capsule "convoy_model" that keeps the model alive, or None.
  py::object table() const;
  /// Runs a model without a table on values of _values.py. Returns values by name.
  py::dict run(const py::dict &values) const;

  const CompileReport &report() const { return artifact.report; }
  std::string summaryJson() const;
  py::list warnings() const { return warningsOf(problems); }
  /// Returns the inputs that a run needs.
  std::vector<std::string> needed() const { return artifact.memory->inputNames(); }
  const py::tuple &inputs() const { return inputTensors; }
  const py::tuple &outputs() const { return outputTensors; }

private:
  Artifact artifact;
  py::tuple inputTensors, outputTensors;
  Problems problems;
  std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>(); // one run at a time
};

/// Compiles a model into this process. Calls `progress` (may be None) as progress(step, number,
/// total).
std::unique_ptr<Program> compile(const BuildRequest &request, const py::object &progress);

/// Writes a library, C source or the program of a device to a folder and returns its path. `values`
/// are the arguments of CompiledModel.save; `inputs` (may be None) are values of _values.py for a
/// test bench, and inputs without data are random.
std::string writeFiles(const BuildRequest &request, const std::string &folder,
                       const py::dict &values, const py::object &inputs);

/// Returns the HTML page of the schedule of several threads.
std::string schedulePage(const BuildRequest &request);

/// The linker is not thread-safe: a function that makes libraries holds this mutex.
std::mutex &linkerMutex();

} // namespace convoy::python
