// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of error codes, and the conversion of other errors.

#include "service/api/ApiError.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::service {
namespace {

struct CodeName {
  ErrorCode code;
  llvm::StringLiteral name;
};

constexpr CodeName kNames[] = {
    {ErrorCode::Invalid, "invalid"},         {ErrorCode::NotFound, "not-found"},
    {ErrorCode::Conflict, "conflict"},       {ErrorCode::Exhausted, "exhausted"},
    {ErrorCode::Unavailable, "unavailable"}, {ErrorCode::Internal, "internal"},
};

} // namespace

char ApiError::ID = 0;

llvm::StringRef name(ErrorCode code) {
  return llvm::find_if(kNames, [&](const CodeName &row) { return row.code == code; })->name;
}

ErrorCode errorCodeFromName(llvm::StringRef name) {
  const auto *found = llvm::find_if(kNames, [&](const CodeName &row) { return row.name == name; });
  return found == std::end(kNames) ? ErrorCode::Internal : found->code;
}

void ApiError::log(llvm::raw_ostream &os) const { os << message; }

llvm::Error apiError(ErrorCode code, const llvm::Twine &message) {
  return llvm::make_error<ApiError>(code, message.str());
}

llvm::Error exhausted(const llvm::Twine &message, double retrySeconds) {
  return llvm::make_error<ApiError>(ErrorCode::Exhausted, message.str(), retrySeconds);
}

llvm::Error standby(llvm::StringRef leader) {
  std::string text = "this server is a standby; ";
  text += leader.empty() ? "the leader is unknown" : "the leader is " + leader.str();
  return llvm::make_error<ApiError>(ErrorCode::Unavailable, text, /*retrySeconds=*/1, leader.str());
}

llvm::Error toError(const ApiError &error) { return llvm::make_error<ApiError>(error); }

ApiError takeApiError(llvm::Error error) {
  ApiError result(ErrorCode::Internal, "");
  llvm::handleAllErrors(
      std::move(error), [&](const ApiError &known) { result = known; },
      [&](const llvm::ErrorInfoBase &other) { result.message = other.message(); });
  return result;
}

} // namespace convoy::service
