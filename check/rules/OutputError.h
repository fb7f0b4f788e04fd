// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two values element by element and describes the first error. The rules of `convoy
// check` and convoy-conformance use it.

#pragma once

#include "reference/Datum.h"
#include <optional>
#include <string>

namespace convoy::check {

using reference::Datum;

/// Floats agree if |actual - expected| <= absolute + relative * |expected|. NaN agrees with
/// NaN. Integers agree if they differ by at most `steps`. Booleans and strings agree if they are
/// equal.
struct Tolerance {
  double relative, absolute;
  int64_t steps = 0;
};

/// Returns a description of the first error, for example "has shape 2x3, expected 3x2", or
/// nothing if the values agree. The caller puts the name of the value before it.
std::optional<std::string> outputError(const Datum &actual, const Datum &expected,
                                       Tolerance tolerance);

} // namespace convoy::check
