// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags that control the conversion of an image to a tensor. InputData.h and Samples.h use
// them.

#pragma once

#include <string>
#include <vector>

namespace convoy::io {

/// The value of an element is (pixel * scale - mean) / std, per channel.
struct ImageFlags {
  std::string resize = "auto"; // also "none", "256" (short side), "320x240"
  std::string crop = "center"; // or "none"
  std::string color;           // "rgb", "bgr", "gray"; empty: depends on the number of channels
  std::string layout;          // "nchw", "nhwc"; empty: depends on the shape
  std::vector<double> mean, std, scale; // empty: depends on the element type
};

} // namespace convoy::io
