// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether an output of a whole model is right. The bounds are wide enough for a
// correct implementation that adds floats in a different order.

#pragma once

#include "convoy/model.h"
#include "reference/Datum.h"
#include <optional>
#include <string>

namespace convoy::check {

using reference::Datum;

/// The arithmetic of a model, as far as it affects accuracy.
enum class Arithmetic {
  Float,     // no quantized activations
  Narrow,    // in f16, or on a device that computes f32 in a narrower type, for example f16
  BFloat16,  // in bf16
  Layers,    // the same, compared with the reference in that narrower type
  Quantized, // QuantizeLinear, QLinearConv ...: static scales
  Dynamic,   // DynamicQuantizeLinear: scales from data
};

/// Returns Quantized or Dynamic if an op of the model quantizes activations. Otherwise returns
/// BFloat16, Narrow or Float, depending on the narrowest float type in which the model computes.
Arithmetic arithmeticOf(const Model &model);

/// Returns a description of the rule for one output.
std::string ruleText(Arithmetic arithmetic, ElementType type);

/// The result of a comparison.
struct Verdict {
  bool isRight = false;
  std::string text; // the measured error, or the reason why the values cannot be compared
};

Verdict judge(const Datum &actual, const Datum &expected, Arithmetic arithmetic);

/// Compares two tensors byte for byte.
Verdict judgeBytes(const Datum &actual, const Datum &expected);

// Measures that judge() and the tests use.

/// Returns sqrt(sum (a - b)^2) / sqrt(sum b^2), or infinity if only `expected` is all zeros. Equal
/// infinities and two NaN have no error and no norm.
double relativeL2(const Tensor &actual, const Tensor &expected);

/// Returns whether, in each row of the last dimension, one element is the largest in both
/// tensors. If several elements are tied, one match is sufficient.
bool hasSameTop1(const Tensor &actual, const Tensor &expected);

} // namespace convoy::check
