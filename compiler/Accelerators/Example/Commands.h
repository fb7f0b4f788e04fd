// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command format of the example device. A command is a sequence of 32-bit words: length, code,
// operands. Addresses are byte offsets into the device's memory. Tensors are row-major and have the
// element type that the device was created for.

#pragma once

#include "Accelerators/Simulator.h"
#include "Support/ElementType.h"
#include <memory>

namespace convoy::accelerators::example {

enum Code : int32_t { kConv = 1, kEltwise = 2, kPool = 3, kCopy = 4 };

/// Sizes of a layer with a window, in the order of the words.
struct WindowWords {
  int32_t batch, channels, height, width;
  int32_t outputs, kernelHeight, kernelWidth, strideHeight, strideWidth, padTop, padLeft;
  int32_t outHeight, outWidth;
};

/// Bounds to which a layer clamps its result.
struct ClampWords {
  float low, high;
};

struct ConvWords {
  int32_t length, code, input, weight, bias, result; // bias -1: none
  WindowWords window;
  ClampWords clamp;
};

struct PoolWords {
  int32_t length, code, input, result;
  WindowWords window;
  int32_t isMean, countsPadding;
};

struct EltwiseWords {
  int32_t length, code, lhs, rhs, result, elements, isProduct;
  ClampWords clamp;
};

struct CopyWords {
  int32_t length, code, from, to, bytes;
};

/// Returns a device that runs these commands on f32 or f16.
std::unique_ptr<Simulator> createSimulator(ElementType type);

} // namespace convoy::accelerators::example
