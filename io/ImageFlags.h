// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an image becomes a tensor, as the command line says it.

#pragma once

#include <string>
#include <vector>

namespace convoy::io {

/// How an image becomes a tensor: (pixel * scale - mean) / std per channel.
struct ImageFlags {
  std::string resize = "auto";          // "none", "256" (short side), "320x240"
  std::string crop = "center";          // or "none"
  std::string color;                    // "rgb", "bgr", "gray"; empty: by channel count
  std::string layout;                   // "nchw", "nhwc"; empty: by shape
  std::vector<double> mean, std, scale; // empty: by element type
};

} // namespace convoy::io
