// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps control characters of models and files away from the terminal, which would execute them.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace convoy::tool {

/// Returns the text with control characters as escapes such as `\x1B`. Line ends and tabs stay.
std::string plainText(llvm::StringRef text);

/// Writes plain text to another stream.
class PlainStream : public llvm::raw_ostream {
public:
  explicit PlainStream(llvm::raw_ostream &to) : raw_ostream(/*unbuffered=*/true), to(to) {}
  ~PlainStream() override { to.flush(); }

private:
  void write_impl(const char *text, size_t size) override {
    to << plainText(llvm::StringRef(text, size));
  }
  uint64_t current_pos() const override { return to.tell(); }

  llvm::raw_ostream &to;
};

} // namespace convoy::tool
