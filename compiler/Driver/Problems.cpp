// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy::Problems of the public interface.

#include "convoy/result.h"
#include <algorithm>

namespace convoy {

ProblemKind kindOfError(const std::string &text) {
  auto says = [&](const char *words) { return text.find(words) != std::string::npos; };
  // "not supported: ..." of Import, "not supported on the CPU: ..." of Place.
  return says("this is a bug in convoy") ? ProblemKind::Bug
         : says("not supported")         ? ProblemKind::Unsupported
                                         : ProblemKind::Error;
}

void Problems::addError(const std::string &text) { add({kindOfError(text), text, {}}); }

void Problems::append(const Problems &other) {
  for (const Problem &problem : other.list) {
    auto isSame = [&](const Problem &known) { return known.text == problem.text; };
    if (std::none_of(list.begin(), list.end(), isSame)) {
      list.push_back(problem);
    }
  }
}

bool Problems::hasErrors() const {
  return std::any_of(list.begin(), list.end(),
                     [](const Problem &problem) { return problem.isError(); });
}

std::string Problems::firstError() const {
  auto it = std::find_if(list.begin(), list.end(),
                         [](const Problem &problem) { return problem.isError(); });
  return it == list.end() ? "" : it->text;
}

} // namespace convoy
