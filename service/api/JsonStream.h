// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a stream of lines of the JSON interface. JsonClient.cpp uses it.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <httplib.h>

namespace convoy::service {

enum class StreamEnd {
  Complete,  ///< the server ended the stream
  Stopped,   ///< the reader ended the stream
  ErrorLine, ///< the last line is an error, in `text`
  Refused,   ///< the status is not 200; `text` is the body
  Broken,    ///< the connection failed, see `error`
};

struct StreamResult {
  StreamEnd end = StreamEnd::Broken;
  bool hasLines = false; // the reader got a line
  int status = 0;
  std::string text;
  httplib::Error error = httplib::Error::Success;
};

/// Calls `take` with each line, without its line end, until it returns false.
StreamResult readStream(httplib::Client &client, const std::string &path,
                        llvm::function_ref<bool(llvm::StringRef line)> take);

} // namespace convoy::service
