// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The defaults that proto3 cannot express: the option default_value of tuning.proto. Both servers
// and the JSON reader call setDefaults() on what they receive, and the servers on what they send.

#pragma once

#include <google/protobuf/message.h>

namespace convoy::service {

/// Sets each optional field that is missing to its default_value, in nested messages too. The
/// unknown state becomes the first state; a state of a newer program becomes the last state.
void setDefaults(google::protobuf::Message &message);

/// Returns a message with its defaults, for code that creates a request in this process.
template <typename Message>
Message withDefaults() {
  Message message;
  setDefaults(message);
  return message;
}

} // namespace convoy::service
