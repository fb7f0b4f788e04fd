// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a user's changes to the spaces, which need no recompilation of Convoy. A JSON file
// names a template, a knob, and the values to try, to add or to remove:
//
//     {"conv_direct": {"unroll": [4, 8], "tile": {"add": [[5, 4]]}, "fetch": {"remove": [0]}},
//      "winograd": false}
//
// The constraints of the template still apply, so values that do not fit the target are
// rejected.

#pragma once

#include "Kernels/Space.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace convoy::tuning {

class SpaceFile {
public:
  /// Parses the text of the file; `origin` names the file in errors. The error for an unknown
  /// name lists the valid names.
  static llvm::Expected<SpaceFile> parse(llvm::StringRef text, llvm::StringRef origin);

  /// Returns whether the space includes the template.
  bool hasTemplate(llvm::StringRef id) const;

  /// Changes the values of the space's knobs. The error for an unknown knob lists the valid
  /// knobs.
  llvm::Error apply(kernels::Space &space) const;

private:
  using Value = std::vector<int64_t>;
  struct KnobEdit {
    std::vector<Value> add, remove;
    bool replaces = false; // `add` replaces all values
  };

  llvm::Error parseTemplate(llvm::StringRef id, const llvm::json::Value &value);
  llvm::Error parseKnob(llvm::StringRef id, llvm::StringRef knob, const llvm::json::Value &value);
  llvm::Error parseValues(llvm::StringRef knob, const llvm::json::Value &value,
                          std::vector<Value> &values) const;

  std::string origin;
  /// The changes by template and knob.
  std::map<std::string, std::map<std::string, KnobEdit>> edits;
  std::vector<std::string> excluded;
};

} // namespace convoy::tuning
