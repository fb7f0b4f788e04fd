// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvm::Error with the kind of problem that it is. The function that finds an error decides its
// kind; exit codes, JSON and Python exceptions are derived from the kind, never from the text.
// An error of another class, such as llvm::StringError, is an error of the user.

#pragma once

#include "convoy/result.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Format.h"
#include <string>

namespace convoy {

class TypedError : public llvm::ErrorInfo<TypedError> {
public:
  static constexpr char ID = 0; // llvm::ErrorInfo reads it; NOLINT(readability-identifier-naming)

  TypedError(ProblemKind kind, std::string text) : kind(kind), text(std::move(text)) {}

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const ProblemKind kind;

private:
  std::string text;
};

/// Returns the kind of an error. Errors of the system that report missing memory are OutOfMemory.
ProblemKind kindOf(const llvm::ErrorInfoBase &error);
/// Returns the kind of a failure value. Joined errors of several kinds are a bug if one of them is,
/// else an error of the user.
ProblemKind kindOf(const llvm::Error &error);

/// Returns an error about something that the compiler does not support. The text says so.
llvm::Error createUnsupported(const llvm::Twine &text);
/// Returns an error about a bug in Convoy. The text says so.
llvm::Error createBug(const llvm::Twine &text);

template <typename... Ts>
llvm::Error createUnsupported(const char *format, const Ts &...values) {
  return createUnsupported(llvm::toString(llvm::createStringError(format, values...)));
}
template <typename... Ts>
llvm::Error createBug(const char *format, const Ts &...values) {
  return createBug(llvm::toString(llvm::createStringError(format, values...)));
}

/// Returns the error with a text before its own text. The kind stays. Joined errors become one.
llvm::Error withPrefix(const llvm::Twine &prefix, llvm::Error error);

} // namespace convoy
