// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/StoreAnswers.h"

namespace convoy::service {

llvm::Error toApiError(llvm::Error error) {
  if (!error.isA<store::StoreError>()) {
    return error;
  }
  using Kind = store::StoreError::Kind;
  switch (store::storeErrorKind(error)) {
  case Kind::Conflict:
    return apiError(ErrorCode::Conflict, llvm::toString(std::move(error)));
  case Kind::NotFound:
    return apiError(ErrorCode::NotFound, llvm::toString(std::move(error)));
  case Kind::Unavailable:
  case Kind::LostLeadership:
    return apiError(ErrorCode::Unavailable, llvm::toString(std::move(error)));
  case Kind::Exhausted:
    return exhausted(llvm::toString(std::move(error)), /*retrySeconds=*/10);
  case Kind::Invalid:
    return apiError(ErrorCode::Internal, llvm::toString(std::move(error)));
  }
  llvm_unreachable("unknown StoreError::Kind");
}

} // namespace convoy::service
