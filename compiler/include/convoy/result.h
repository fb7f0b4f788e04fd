// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value, or every reason why there is none. The compiler reports all problems of a
// model at once; no exception crosses its interface.

#pragma once

#include "convoy/version.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convoy {

enum class ProblemKind {
  Warning,     ///< The result is there, and may not be what was wanted.
  Error,       ///< The model or the request is wrong.
  Unsupported, ///< The compiler cannot do this yet.
  Bug,         ///< The compiler is wrong; please report it.
};

struct Problem {
  ProblemKind kind = ProblemKind::Error;
  /// With the node, where one is meant: "node 'conv1' (Conv): expects ...".
  std::string text;
  std::vector<std::string> notes;

  bool isError() const { return kind != ProblemKind::Warning; }
};

/// Problems in the order in which they were found.
class CONVOY_API Problems {
public:
  void add(Problem problem) { list.push_back(std::move(problem)); }
  /// Adds an error; its kind follows from its words: "not supported" and "this is a bug in
  /// convoy".
  void addError(const std::string &text);
  /// Adds what another list holds and this one does not.
  void append(const Problems &other);
  void clear() { list.clear(); }

  const std::vector<Problem> &all() const { return list; }
  bool hasErrors() const;
  /// The text of the first error, or empty.
  std::string firstError() const;

private:
  std::vector<Problem> list;
};

/// The kind of an error, by its words.
CONVOY_API ProblemKind kindOfError(const std::string &text);

/// A value with warnings, or problems of which at least one is an error.
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
