// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy::Problems of the public interface.

#include "Driver/AddProblem.h"
#include <algorithm>
#include <unordered_set>

namespace convoy {

const char *nameOf(ProblemKind kind) {
  switch (kind) {
  case ProblemKind::Warning:
    return "warning";
  case ProblemKind::Error:
    return "error";
  case ProblemKind::Unsupported:
    return "unsupported";
  case ProblemKind::Bug:
    return "bug";
  case ProblemKind::OutOfMemory:
    return "out of memory";
  }
  return "error";
}

void Problems::addError(const std::string &text, ProblemKind kind) {
  Problem problem;
  problem.kind = kind;
  problem.text = text;
  add(std::move(problem));
}

void Problems::append(const Problems &other) {
  constexpr size_t kFew = 4;
  if (other.list.size() <= kFew) {
    for (const Problem &problem : other.list) {
      auto isSame = [&](const Problem &known) { return known.text == problem.text; };
      if (std::none_of(list.begin(), list.end(), isSame)) {
        list.push_back(problem);
      }
    }
    return;
  }
  // A hostile file can have a hundred thousand problems.
  std::unordered_set<std::string> known;
  for (const Problem &problem : list) {
    known.insert(problem.text);
  }
  for (const Problem &problem : other.all()) {
    if (known.insert(problem.text).second) {
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

llvm::Error firstErrorOf(const Problems &problems) {
  for (const Problem &problem : problems.all()) {
    if (problem.isError()) {
      return llvm::make_error<TypedError>(problem.kind, problem.text);
    }
  }
  llvm_unreachable("the list contains an error");
}

} // namespace convoy
