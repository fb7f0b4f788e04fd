// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the errors of the JSON interface to JSON and back.

#pragma once

#include "service/api/ApiError.h"

namespace convoy::service {

/// Formats an error as {"code", "message", "retrySeconds", "leader"}.
std::string toJson(const ApiError &error);
/// Reads an error; text that is not an error of this service becomes `code` with the text.
llvm::Error errorFromJson(llvm::StringRef text, ErrorCode code);

/// Returns whether an object has the field "error", as the last line of a broken stream has.
bool isErrorLine(llvm::StringRef line);
/// Formats the last line of a broken stream: {"error": {...}}.
std::string errorLine(const ApiError &error);
llvm::Error errorFromLine(llvm::StringRef line);

} // namespace convoy::service
