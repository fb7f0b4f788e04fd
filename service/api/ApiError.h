// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error of a call of the tuning API. The servers translate the code to a status of gRPC or
// HTTP, and the clients translate the status back, so that a caller sees the same error in
// process and over the network.

#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace convoy::service {

enum class ErrorCode {
  Invalid,     ///< the request is wrong and stays wrong
  NotFound,    ///< no job or device has this name
  Conflict,    ///< the state of the job or device forbids the call
  Exhausted,   ///< a quota or limit is reached; try again after retrySeconds
  Unavailable, ///< this server is a standby or stops; try another server
  Internal,    ///< the service failed
};

/// Returns "invalid", "not-found", "conflict", "exhausted", "unavailable" or "internal".
llvm::StringRef name(ErrorCode code);
/// Returns Internal for an unknown name.
ErrorCode errorCodeFromName(llvm::StringRef name);

class ApiError : public llvm::ErrorInfo<ApiError> {
public:
  static char ID;

  ApiError(ErrorCode code, std::string message, double retrySeconds = 0, std::string leader = "")
      : code(code), message(std::move(message)), retrySeconds(retrySeconds),
        leader(std::move(leader)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  ErrorCode code;
  std::string message;
  double retrySeconds; // when to try again; 0: unknown
  std::string leader;  // URL of the leader, if a standby knows it
};

llvm::Error apiError(ErrorCode code, const llvm::Twine &message);
/// Returns the error of a project without budget left.
llvm::Error exhausted(const llvm::Twine &message, double retrySeconds);
/// Returns the error of a server that is not the leader. `leader` is empty if it is unknown.
llvm::Error standby(llvm::StringRef leader);

/// Returns a copy as an error.
llvm::Error toError(const ApiError &error);
/// Consumes an error. An error of another class becomes Internal with its text.
ApiError takeApiError(llvm::Error error);

} // namespace convoy::service
