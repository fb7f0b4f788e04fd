// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy bench --matrix FILE`: every model on every target, number of threads and set of
// flags, unattended. Each cell is a process of its own, so that one that fails, crashes
// or hangs is a line of the table. The file:
//
//     {"models": ["a.onnx", {"path": "b.onnx", "flags": ["--dim", "batch=1"]}],
//      "targets": ["host"], "threads": [1, 2],
//      "options": [{"name": "default"}, {"name": "tuned", "flags": ["--records", "tune.db"]}],
//      "flags": ["--samples", "30"], "timeoutSeconds": 900}
//
// All but "models" may be left out. Flags are those of `convoy bench`; paths are as seen
// from where it was started.

#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy::timing {

/// A name and the flags that it stands for.
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

  /// The error names `origin` and what is wrong there.
  static llvm::Expected<Matrix> parse(llvm::StringRef text, llvm::StringRef origin);
  size_t cellCount() const {
    return models.size() * targets.size() * threads.size() * options.size();
  }
};

/// One cell, measured or failed.
struct MatrixCell {
  std::string model, target, option;
  int64_t threads = 1;
  std::string problem;      // empty: it was measured
  llvm::json::Object facts; // as `convoy bench --json` has them; empty when there are none
};

/// One table, as Markdown.
std::string toMarkdown(llvm::ArrayRef<MatrixCell> cells);
std::string toJson(llvm::ArrayRef<MatrixCell> cells);

/// What a matrix reads and writes.
struct MatrixFiles {
  std::string matrix;
  std::string json, table; // empty: none
};

/// Measures all cells; each is told on `progress`. Files of results are written after each
/// one: a sweep that is ended leaves what it has.
llvm::Expected<std::vector<MatrixCell>> benchMatrix(const MatrixFiles &files,
                                                    llvm::raw_ostream &progress);

} // namespace convoy::timing
