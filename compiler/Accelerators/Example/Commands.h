// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the example device understands. A command is a row of 32-bit words: its length,
// its code, its operands. Addresses are bytes of the device's memory, tensors are
// row-major, of the type that the device was built for.

#pragma once

#include "Accelerators/Simulator.h"
#include "Support/ElementType.h"
#include <memory>

namespace convoy::accelerators::example {

enum Code : int32_t { kConv = 1, kEltwise = 2, kPool = 3, kCopy = 4 };

/// Sizes of a layer with a window, in the order of their words.
struct WindowWords {
  int32_t batch, channels, height, width;
  int32_t outputs, kernelHeight, kernelWidth, strideHeight, strideWidth, padTop, padLeft;
  int32_t outHeight, outWidth;
};

/// What follows a layer: everything below `low` becomes `low`, above `high` `high`.
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

/// A device that runs these, on f32 or f16.
std::unique_ptr<Simulator> createSimulator(ElementType type);

} // namespace convoy::accelerators::example
