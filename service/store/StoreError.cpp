// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StoreError.h"

namespace convoy::service::store {

char StoreError::ID = 0;

StoreError::Kind storeErrorKind(const llvm::Error &error) {
  StoreError::Kind kind = StoreError::Kind::Invalid;
  llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
    if (info.isA<StoreError>()) {
      kind = static_cast<const StoreError &>(info).kind();
    }
  });
  return kind;
}

} // namespace convoy::service::store
