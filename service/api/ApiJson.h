// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the structs of ApiFields.h to JSON text and back. Both sides of the JSON face use it.

#pragma once

#include "service/api/ApiFields.h"
#include <map>

namespace convoy::service {

/// Whether a field that the struct does not have is an error. A server refuses it, because it is
/// probably misspelt. A client ignores it, because the server may be newer.
enum class UnknownFields { Refuse, Ignore };

/// Formats an object on one line, without a line end.
template <typename Object>
std::string toJson(const Object &object);

/// Reads an object. Fields that are not given keep their defaults. The error is Invalid and names
/// the field, what was expected and what was found.
template <typename Object>
llvm::Expected<Object> fromJson(llvm::StringRef text, UnknownFields unknown);

/// Reads an object from the parameters of a URL. A list is separated by commas.
template <typename Object>
llvm::Expected<Object> fromParameters(const std::multimap<std::string, std::string> &parameters);

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
