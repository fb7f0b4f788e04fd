// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a compiled model on Python's arrays. It is the base class of convoy_runtime.Model. The table
// of interface 2 belongs to a library that this object loaded, or to the compiler, which passes it
// in a capsule.

#pragma once

#include "ArrayConversion.h"
#include "Interruptible.h"
#include "convoy/load.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace convoy::python {

/// Throws the exception convoy_runtime.Error.
[[noreturn]] void raiseError(const std::string &text);

/// Workspaces of one model, one per concurrent run. Their number is the largest number of
/// concurrent runs so far.
class WorkspacePool {
public:
  WorkspacePool(size_t bytes, size_t alignment);
  WorkspacePool(const WorkspacePool &) = delete;
  WorkspacePool &operator=(const WorkspacePool &) = delete;
  ~WorkspacePool();

  /// Throws std::bad_alloc.
  void *take();
  void giveBack(void *workspace) noexcept;

private:
  size_t bytes, alignment;
  std::mutex mutex;
  std::vector<void *> free;
};

class ModelRunner {
public:
  /// Loads a library with the checks of convoy_load_checked. Throws the exception
  /// convoy_runtime.Error.
  static std::unique_ptr<ModelRunner> load(const std::string &path,
                                           const std::optional<std::string> &hash, bool verifies);
  /// Uses the table in a capsule "convoy_model", whose owner keeps the model alive. None makes a
  /// runner without a model, for subclasses that override all functions.
  static std::unique_ptr<ModelRunner> fromTable(const py::object &capsule);
  ModelRunner(const ModelRunner &) = delete;
  ModelRunner &operator=(const ModelRunner &) = delete;
  ~ModelRunner();

  /// Throws if the runner has no model.
  const convoy_model &table() const;
  const py::tuple &inputs() const { return inputTensors; }
  const py::tuple &outputs() const { return outputTensors; }

  /// Runs the model on {name: array}. `self` is the Python object of this runner. Returns the
  /// outputs by name: the arrays of `out`, else new arrays.
  py::dict run(const py::object &self, py::handle feed, py::handle out);

private:
  struct Buffers;

  ModelRunner(const convoy_model *model, convoy_loaded *library, py::object owner);
  void describe();
  bool readInputs(py::handle feed, Buffers &buffers, Reasons &reasons) const;
  void makeOutputs(py::handle out, Buffers &buffers, Reasons &reasons) const;
  void checkOverlap(const Buffers &buffers, Reasons &reasons) const;
  int32_t call(Buffers &buffers, void *workspace);
  int32_t callInterruptibly(const py::object &self, Buffers &buffers, void *workspace);
  /// Returns the array of an output, with its actual shape if a size depends on data.
  py::object result(const Buffers &buffers, size_t index) const;

  const convoy_model *model;
  convoy_loaded *library; // null: the table belongs to `owner`
  py::object owner;
  py::tuple inputTensors, outputTensors;
  std::vector<Slot> inputSlots, outputSlots;
  WorkspacePool workspaces;
  std::mutex deviceMutex; // runs of a model with programs of a device must not overlap
  /// Of the last run; negative: there was none.
  std::atomic<double> lastSeconds{-1};
};

} // namespace convoy::python
