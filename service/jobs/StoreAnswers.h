// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates errors of the store to errors of the API.

#pragma once

#include "service/api/ApiError.h"
#include "service/store/StoreError.h"

namespace convoy::service {

/// Consumes an error of the store. An error of the API stays as it is.
llvm::Error toApiError(llvm::Error error);

} // namespace convoy::service
