// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads words of Python. The build generates the assignments that use it from the table of options.

#pragma once

#include <initializer_list>
#include <pybind11/pybind11.h>
#include <string>
#include <utility>

namespace convoy::python {

/// Sets a member to the value of a word, which a Python file has checked. None keeps the member.
template <typename T>
void setWord(const pybind11::dict &values, const char *key, T &member,
             std::initializer_list<std::pair<const char *, T>> words) {
  if (values[key].is_none()) {
    return;
  }
  auto given = values[key].cast<std::string>();
  for (const auto &[word, value] : words) {
    member = given == word ? value : member;
  }
}

} // namespace convoy::python
