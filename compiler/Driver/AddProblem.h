// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between LLVM errors and problems of the public interface. The kind of a problem is the
// kind of the error.

#pragma once

#include "Support/TypedError.h"
#include "convoy/result.h"

namespace convoy {

/// Adds an error of the user.
inline void addError(Problems &problems, const llvm::Twine &text) { problems.addError(text.str()); }

/// Adds one problem for each error of a joined error.
inline void addError(Problems &problems, llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    problems.addError(info.message(), kindOf(info));
  });
}

inline void addUnsupported(Problems &problems, const llvm::Twine &text) {
  problems.addError(text.str(), ProblemKind::Unsupported);
}

/// Returns the first error with its kind. The list must contain an error.
llvm::Error firstErrorOf(const Problems &problems);

} // namespace convoy
