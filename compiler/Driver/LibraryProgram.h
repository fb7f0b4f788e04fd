// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a compiled library in this process. `convoy run` uses it for libraries and for the models of
// its cache.

#pragma once

#include "Driver/LoadedProgram.h"
#include "convoy/tensor.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

struct convoy_loaded;

namespace convoy::driver {

/// Buffers for inferences of a model by its table. The table must outlive the object.
class TableRun {
public:
  /// Copies the inputs into buffers. An error names the input that is missing or has another type
  /// or shape than the model takes.
  static llvm::Expected<TableRun> prepare(const convoy_model &table, const NamedData &data);

  llvm::Error run();
  /// Returns the outputs of the last run.
  llvm::Expected<std::vector<Tensor>> outputs() const;

private:
  explicit TableRun(const convoy_model &table) : table(&table) {}
  llvm::Error addBuffer(uint64_t bytes, std::vector<std::shared_ptr<void>> &list) const;
  llvm::Error addInput(const convoy_tensor &input, const NamedData &data);

  const convoy_model *table;
  std::vector<std::shared_ptr<void>> inputs, results;
  std::shared_ptr<void> workspace;
  std::vector<int64_t> extents;
};

class LibraryProgram {
public:
  static llvm::Expected<std::unique_ptr<LibraryProgram>> load(const std::string &path);

  const convoy_model &table() const;
  std::vector<TensorInfo> inputs() const;
  std::vector<std::string> outputNames() const;

private:
  struct Unload {
    void operator()(convoy_loaded *loaded) const;
  };
  std::unique_ptr<convoy_loaded, Unload> loaded;
};

} // namespace convoy::driver
