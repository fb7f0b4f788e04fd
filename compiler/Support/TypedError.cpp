// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates errors with a kind and adds context to them.

#include "Support/TypedError.h"
#include <optional>

namespace convoy {

/// Returns the kind of two errors that are reported as one.
static ProblemKind joined(ProblemKind a, ProblemKind b) {
  bool hasBug = a == ProblemKind::Bug || b == ProblemKind::Bug;
  return a == b ? a : hasBug ? ProblemKind::Bug : ProblemKind::Error;
}

ProblemKind kindOf(const llvm::ErrorInfoBase &error) {
  if (error.isA<TypedError>()) {
    return static_cast<const TypedError &>(error).kind;
  }
  return error.convertToErrorCode() == std::errc::not_enough_memory ? ProblemKind::OutOfMemory
                                                                    : ProblemKind::Error;
}

ProblemKind kindOf(const llvm::Error &error) {
  std::optional<ProblemKind> kind;
  llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
    kind = kind ? joined(*kind, kindOf(info)) : kindOf(info);
  });
  assert(kind && "expects an error");
  return *kind;
}

llvm::Error createUnsupported(const llvm::Twine &text) {
  return llvm::make_error<TypedError>(ProblemKind::Unsupported, text.str());
}

llvm::Error createBug(const llvm::Twine &text) {
  return llvm::make_error<TypedError>(ProblemKind::Bug, text.str());
}

llvm::Error withPrefix(const llvm::Twine &prefix, llvm::Error error) {
  ProblemKind kind = kindOf(error);
  return llvm::make_error<TypedError>(kind, (prefix + llvm::toString(std::move(error))).str());
}

} // namespace convoy
