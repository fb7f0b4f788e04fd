// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the tensors in a sequence. Compiled code takes and returns tensors
// only; the importer, the readers of data and the tools that run models use the
// same names.

#pragma once

#include <string>

namespace convoy::import {

/// Returns the name of a value in a sequence: x[1].
inline std::string elementName(const std::string &sequence, size_t index) {
  return sequence + "[" + std::to_string(index) + "]";
}

/// Returns the name whose shape pins a sequence without values: x[]. The shape
/// itself is not read.
inline std::string emptySequenceName(const std::string &sequence) { return sequence + "[]"; }

/// Returns whether a name is `value` or names a tensor in `value`.
inline bool isNameWithin(const std::string &name, const std::string &value) {
  return name.compare(0, value.size(), value) == 0 &&
         (name.size() == value.size() || name[value.size()] == '[');
}

/// Returns the value that a tensor belongs to: x for x[1]. Other names are returned
/// unchanged.
inline std::string ownerName(const std::string &name) {
  bool isElement = !name.empty() && name.back() == ']';
  return isElement ? name.substr(0, name.find('[')) : name;
}

} // namespace convoy::import
