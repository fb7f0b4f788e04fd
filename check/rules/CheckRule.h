// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When an output of a whole model counts as right. The bounds are such that
// another correct implementation, with another order of float sums, just passes.

#pragma once

#include "convoy/model.h"
#include "reference/Datum.h"
#include <optional>
#include <string>

namespace convoy::check {

using reference::Datum;

/// How a model computes, as far as accuracy goes.
enum class Arithmetic {
  Float,     // no quantised activations
  Narrow,    // on a device that computes f32 in a narrower type, such as f16
  Layers,    // likewise, against the reference in that type, layer by layer
  Quantized, // QuantizeLinear, QLinearConv ...: static scales
  Dynamic,   // DynamicQuantizeLinear: scales from data
};

/// Float, Quantized or Dynamic, by the ops of the model file.
Arithmetic arithmeticOf(const Model &model);

/// The rule for one output, in words.
std::string ruleText(Arithmetic arithmetic, ElementType type);

/// What a comparison found.
struct Verdict {
  bool isRight = false;
  std::string text; // the measured distance, or what is wrong
};

Verdict judge(const Datum &actual, const Datum &expected, Arithmetic arithmetic);

/// Whether two tensors are equal byte for byte.
Verdict judgeBytes(const Datum &actual, const Datum &expected);

// The measures, for judge and for tests.

/// sqrt(sum (a - b)^2) / sqrt(sum b^2); a difference against zeros is infinite.
double relativeL2(const Tensor &actual, const Tensor &expected);

/// Whether, in each row of the last dimension, some element is the largest of
/// both; on ties either will do.
bool hasSameTop1(const Tensor &actual, const Tensor &expected);

} // namespace convoy::check
