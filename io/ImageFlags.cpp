// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts values of --resize between text and Resize, and expands --preprocess.

#include "io/ImageFlags.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>

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

ImageFlags withPresetValues(ImageFlags flags) {
  // The means and deviations of the training images of ImageNet, as torchvision has them.
  ImageFlags preset;
  switch (flags.preprocess) {
  case Preprocess::Auto:
    return flags;
  case Preprocess::Imagenet:
    preset.scale = {1.0 / 255};
    preset.mean = {0.485, 0.456, 0.406};
    preset.std = {0.229, 0.224, 0.225};
    break;
  case Preprocess::Symmetric:
    preset.scale = {2.0 / 255};
    preset.mean = {1};
    break;
  case Preprocess::Unit:
    preset.scale = {1.0 / 255};
    break;
  case Preprocess::Bytes:
    preset.scale = {1};
    break;
  }
  if (flags.color == Color::Bgr) {
    std::reverse(preset.mean.begin(), preset.mean.end());
    std::reverse(preset.std.begin(), preset.std.end());
  }
  flags.scale = flags.scale.empty() ? preset.scale : flags.scale;
  flags.mean = flags.mean.empty() ? preset.mean : flags.mean;
  flags.std = flags.std.empty() ? preset.std : flags.std;
  return flags;
}

} // namespace convoy::io
