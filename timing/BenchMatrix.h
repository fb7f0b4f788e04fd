// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs `convoy bench --matrix FILE`: benchmarks every model on every target with every number of
// threads and every set of flags. Each cell runs in its own process, so that a failure, a crash or
// a timeout becomes a row of the table. The format of the file:
//
//     {"models": ["a.onnx", {"path": "b.onnx", "flags": ["--dim", "batch=1"]}],
//      "targets": ["host"], "threads": [1, 2],
//      "options": [{"name": "default"}, {"name": "tuned", "flags": ["--records", "tune.db"]}],
//      "flags": ["--samples", "30"], "timeout_seconds": 900}
//
// Only "models" is required. Flags are flags of `convoy bench`; paths are relative to the working
// directory.

#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy::timing {

/// A named set of flags.
struct MatrixEntry {
  std::string name;
  std::vector<std::string> flags;
};

struct Matrix {
  std::vector<MatrixEntry> models; // by path
  std::vector<std::string> targets = {"host"};
  std::vector<int64_t> threads = {1};
  std::vector<MatrixEntry> options = {{"default", {}}};
  std::vector<std::string> flags; // of every cell
  double timeoutSeconds = 900;    // of a cell

  /// Parses a matrix. The error names `origin` and the wrong entry.
  static llvm::Expected<Matrix> parse(llvm::StringRef text, llvm::StringRef origin);
  size_t cellCount() const {
    return models.size() * targets.size() * threads.size() * options.size();
  }
};

/// The result of one cell.
struct MatrixCell {
  std::string model, target, option;
  int64_t threads = 1;
  std::string problem;      // empty: it was measured
  llvm::json::Object facts; // as `convoy bench --json` has them; empty when there are none
};

/// Returns the results as a Markdown table.
std::string toMarkdown(llvm::ArrayRef<MatrixCell> cells);
std::string toJson(llvm::ArrayRef<MatrixCell> cells);

/// The files of a matrix run.
struct MatrixFiles {
  std::string matrix;
  std::string json, table; // empty: none
};

/// Benchmarks all cells and reports each one on `progress`. Writes the result files after each
/// cell, so that an interrupted run keeps the results so far.
llvm::Expected<std::vector<MatrixCell>> benchMatrix(const MatrixFiles &files,
                                                    llvm::raw_ostream &progress);

} // namespace convoy::timing
