// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles models into this process and to files.

#pragma once

#include "BuildRequest.h"
#include "convoy/artefact.h"
#include <atomic>
#include <mutex>

namespace convoy::python {

/// A compiled model. convoy.CompiledModel owns it and runs it through its table; a model without a
/// table runs here.
class Program {
public:
  Program(Artefact artefact, py::tuple inputs, py::tuple outputs, Problems problems);

  /// Returns a capsule "convoy_model" that keeps the model alive, or None.
  py::object table() const;
  /// Runs a model without a table on values of _values.py. Returns values by name.
  py::dict run(const py::dict &values) const;

  const CompileReport &report() const { return artefact.report; }
  std::string summaryJson() const;
  py::list warnings() const { return warningsOf(problems); }
  /// Returns the inputs that a run needs.
  std::vector<std::string> needed() const { return artefact.memory->inputNames(); }
  const py::tuple &inputs() const { return inputTensors; }
  const py::tuple &outputs() const { return outputTensors; }

private:
  Artefact artefact;
  py::tuple inputTensors, outputTensors;
  Problems problems;
  std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>(); // one run at a time
};

/// Compiles a model into this process. Calls `progress` (may be None) as progress(step, number,
/// total).
std::unique_ptr<Program> compile(const BuildRequest &request, const py::object &progress);

/// Writes a library or C source to a folder and returns its path.
std::string writeFiles(const BuildRequest &request, const std::string &folder,
                       const std::string &name, bool hasWeightsFile, bool emitsC);

/// The linker is not thread-safe: a function that makes libraries holds this mutex.
std::mutex &linkerMutex();

} // namespace convoy::python
