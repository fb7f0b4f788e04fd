// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user's changes to spaces, without compiling Convoy again. A JSON file names a
// template, a knob of it and the values to try instead, to add or to leave out:
//
//     {"conv_direct": {"unroll": [4, 8], "tile": {"add": [[5, 4]]}, "fetch": {"remove": [0]}},
//      "winograd": false}
//
// Constraints still hold: what does not fit the target is left out all the same.

#pragma once

#include "Kernels/Space.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace convoy::tuning {

class SpaceFile {
public:
  /// Reads the file's text; `origin` names it in errors. A wrong name is an error that
  /// lists the right ones.
  static llvm::Expected<SpaceFile> parse(llvm::StringRef text, llvm::StringRef origin);

  /// Whether the template is to be tried at all.
  bool hasTemplate(llvm::StringRef id) const;

  /// Changes the values of the space's knobs. The error names the knobs that there are.
  llvm::Error apply(kernels::Space &space) const;

private:
  using Value = std::vector<int64_t>;
  struct KnobEdit {
    std::vector<Value> add, remove;
    bool replaces = false; // `add` are all there are
  };

  llvm::Error parseTemplate(llvm::StringRef id, const llvm::json::Value &value);
  llvm::Error parseKnob(llvm::StringRef id, llvm::StringRef knob, const llvm::json::Value &value);
  llvm::Error parseValues(llvm::StringRef knob, const llvm::json::Value &value,
                          std::vector<Value> &values) const;

  std::string origin;
  /// By template, then knob.
  std::map<std::string, std::map<std::string, KnobEdit>> edits;
  std::vector<std::string> excluded;
};

} // namespace convoy::tuning
