// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags that control the conversion of an image to a tensor. InputData.h and Samples.h use
// them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::io {

/// How an image is resized before the crop.
struct Resize {
  enum class Kind {
    Auto,      ///< To the size that the input and the crop need.
    None,      ///< Not at all.
    ShortSide, ///< The shorter side becomes `width`; the aspect ratio stays.
    Exact,     ///< To `width` x `height`.
  };
  Kind kind = Kind::Auto;
  int64_t width = 0, height = 0;

  /// Returns the value of --resize: "auto", "none", "256" or "320x240".
  std::string text() const;
};

/// Reads a value of --resize; nothing if it has none of the forms of Resize::text.
std::optional<Resize> parseResize(const std::string &text);

enum class Crop { Center, None };

/// The channel order of an input.
enum class Color {
  Auto, ///< Gray for one channel, else Rgb.
  Rgb,
  Bgr,
  Gray,
};

/// The dimension order of an input.
enum class DimOrder {
  Auto, ///< Derived from the shape.
  Nchw,
  Nhwc,
};

/// The values of pixels that a model was trained with: defaults of scale, mean and std.
enum class Preprocess {
  Auto,      ///< Unit for float inputs, Bytes for integer inputs.
  Imagenet,  ///< Unit, then the means and deviations of ImageNet's red, green and blue.
  Symmetric, ///< -1 to 1.
  Unit,      ///< 0 to 1.
  Bytes,     ///< 0 to 255.
};

/// The value of an element is (pixel * scale - mean) / std, per channel.
struct ImageFlags {
  Preprocess preprocess = Preprocess::Auto;
  Resize resize;
  Crop crop = Crop::Center;
  Color color = Color::Auto;
  DimOrder layout = DimOrder::Auto;
  std::vector<double> mean, std, scale; // empty: of `preprocess`

  /// Returns whether a flag says something about the values of pixels.
  bool setsValues() const {
    return preprocess != Preprocess::Auto || !mean.empty() || !std.empty() || !scale.empty();
  }
};

/// Returns the flags with the scale, means and deviations of `preprocess` where a flag gives none.
ImageFlags withPresetValues(ImageFlags flags);

} // namespace convoy::io
