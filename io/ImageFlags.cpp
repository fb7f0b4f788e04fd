// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts values of --resize between text and Resize.

#include "io/ImageFlags.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

namespace convoy::io {

std::string Resize::text() const {
  switch (kind) {
  case Kind::Auto:
    return "auto";
  case Kind::None:
    return "none";
  case Kind::ShortSide:
    return std::to_string(width);
  case Kind::Exact:
    return std::to_string(width) + "x" + std::to_string(height);
  }
  llvm_unreachable("all kinds are handled");
}

std::optional<Resize> parseResize(const std::string &text) {
  Resize resize;
  if (text == "auto") {
    return resize;
  }
  if (text == "none") {
    resize.kind = Resize::Kind::None;
    return resize;
  }
  auto [width, height] = llvm::StringRef(text).split('x');
  if (width.getAsInteger(10, resize.width) || resize.width < 1) {
    return std::nullopt;
  }
  resize.kind = Resize::Kind::ShortSide;
  if (llvm::StringRef(text).contains('x')) {
    resize.kind = Resize::Kind::Exact;
    if (height.getAsInteger(10, resize.height) || resize.height < 1) {
      return std::nullopt;
    }
  }
  return resize;
}

} // namespace convoy::io
