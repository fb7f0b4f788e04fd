// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions that a target puts on a plan. The back end of the target fills them; the quantizer
// chooses only what they allow.

#pragma once

#include "Support/ElementType.h"
#include <string>

namespace convoy::plan {

/// The quantized types that a target computes in integers.
struct TargetTypes {
  std::string target;                       // in the request
  ElementType activation = ElementType::U8; // of 8 bits, with least conversions
  bool hasI16 = true;                       // activations
  bool hasI4 = true;                        // weights
  /// Whether kernel templates compute layers with int16 activations. Generic loops do otherwise, at
  /// many times the cost.
  bool hasWideTemplates = true;
  /// Whether inputs and outputs of the model are integers by default, which saves memory and float
  /// instructions.
  bool hasIntegerEnds = false;
  /// Whether every tensor is int8 without a zero point, each scale is a power of two, and the
  /// weights of a layer share one scale.
  bool shiftsOnly = false;
  /// The device whose arithmetic decides the accuracy, as in TargetRequest; empty: none.
  std::string arithmeticOf;
  /// Whether the scales of addends differ by a power of two.
  bool tiesAddends = false;
};

} // namespace convoy::plan
