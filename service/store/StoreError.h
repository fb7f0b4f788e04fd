// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The errors of the store, by what the caller can do about them.

#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace convoy::service::store {

class StoreError : public llvm::ErrorInfo<StoreError> {
public:
  enum class Kind {
    /// The server cannot be reached, or the connection broke during the call. It is unknown
    /// whether a write took effect. All writes are idempotent: repeat the call.
    Unavailable,
    /// Another process leads, or nobody has led yet. Stop writing; tryLead() may win again.
    LostLeadership,
    /// The row exists with other content, for example an idempotency key with another spec.
    Conflict,
    NotFound,
    /// The server has no disk space or memory left. Nothing was written: repeat the call later.
    Exhausted,
    /// The caller's data or the schema does not fit. Repeating the call does not help.
    Invalid,
  };
  static char ID;

  StoreError(Kind kind, std::string text) : errorKind(kind), text(std::move(text)) {}
  Kind kind() const { return errorKind; }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  Kind errorKind;
  std::string text;
};

/// Returns the kind of an error of the store, or Invalid for an error of another class. The error
/// stays unhandled.
StoreError::Kind storeErrorKind(const llvm::Error &error);

} // namespace convoy::service::store
