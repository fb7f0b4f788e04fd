// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the messages of tuning.proto to JSON and back. Both sides of the JSON interface use it.
// Protobuf's own mapping writes 64-bit integers as texts and leaves out fields without a value;
// clients in use expect numbers and all fields.

#pragma once

#include "service/api/ApiError.h"
#include <google/protobuf/message.h>
#include <map>

namespace convoy::service {

/// Whether a field that the message does not have is an error. A server refuses it, because it is
/// probably misspelled. A client ignores it, because the server may be newer.
enum class UnknownFields { Refuse, Ignore };

using Parameters = std::multimap<std::string, std::string>;

/// Formats a message on one line, without a line end.
std::string toJson(const google::protobuf::Message &message);

/// Reads a message that is empty. Fields that are not given have their defaults. The error is
/// Invalid and names the field, what was expected and what was found.
llvm::Error readJson(llvm::StringRef text, UnknownFields unknown,
                     google::protobuf::Message &message);

/// Reads a message from the parameters of a URL. A list is separated by commas.
llvm::Error readParameters(const Parameters &parameters, google::protobuf::Message &message);

template <typename Message>
llvm::Expected<Message> fromJson(llvm::StringRef text, UnknownFields unknown) {
  Message message;
  if (llvm::Error error = readJson(text, unknown, message)) {
    return std::move(error);
  }
  return message;
}

template <typename Message>
llvm::Expected<Message> fromParameters(const Parameters &parameters) {
  Message message;
  if (llvm::Error error = readParameters(parameters, message)) {
    return std::move(error);
  }
  return message;
}

} // namespace convoy::service
