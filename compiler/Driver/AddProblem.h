// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts LLVM texts and errors to problems of the public interface.

#pragma once

#include "convoy/result.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace convoy {

inline void addError(Problems &problems, const llvm::Twine &text) { problems.addError(text.str()); }

/// Adds one problem for each error of a joined error.
inline void addError(Problems &problems, llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    problems.addError(info.message());
  });
}

} // namespace convoy
