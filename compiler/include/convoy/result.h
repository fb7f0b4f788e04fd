// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value or a list of problems. The compiler reports all problems of a model together. No
// exception crosses its interface.

#pragma once

#include "convoy/version.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convoy {

enum class ProblemKind {
  Warning,     ///< There is a result, but it may not be what the user wants.
  Error,       ///< The model or the request is wrong.
  Unsupported, ///< The compiler does not support this yet.
  Bug,         ///< The compiler has a bug; please report it.
  OutOfMemory, ///< The machine lacks memory.
};

struct Problem {
  ProblemKind kind = ProblemKind::Error;
  /// Begins with the node if the problem is about one: "node 'conv1' (Conv): expects ...".
  std::string text;
  std::vector<std::string> notes;
  /// The ONNX node and its operator; empty if the problem is not about a node.
  std::string node = {}, op = {};
  /// The path of a file that reproduces a bug; empty if none was written.
  std::string reproducer = {};

  bool isError() const { return kind != ProblemKind::Warning; }
};

/// Problems in the order in which the compiler found them.
class CONVOY_API Problems {
public:
  void add(Problem problem) { list.push_back(std::move(problem)); }
  void addError(const std::string &text, ProblemKind kind = ProblemKind::Error);
  /// Adds the problems of another list that this list does not contain.
  void append(const Problems &other);
  void clear() { list.clear(); }

  const std::vector<Problem> &all() const { return list; }
  bool hasErrors() const;
  /// Returns the text of the first error, or an empty text.
  std::string firstError() const;

private:
  std::vector<Problem> list;
};

/// Returns "warning", "error", "unsupported", "bug" or "out of memory", the names in JSON output
/// and in Python.
CONVOY_API const char *nameOf(ProblemKind kind);

/// A value with warnings, or problems with at least one error.
template <typename T>
class Result {
public:
  Result(T value, Problems problems = {}) : value(std::move(value)), list(std::move(problems)) {}
  Result(Problems problems) : list(std::move(problems)) {}

  explicit operator bool() const { return value.has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }
  const Problems &problems() const { return list; }

private:
  std::optional<T> value;
  Problems list;
};

} // namespace convoy
