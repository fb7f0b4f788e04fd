// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two values agree, and if not, where and by how much.

#pragma once

#include "reference/Datum.h"
#include <optional>
#include <string>

namespace convoy::check {

using reference::Datum;

/// Floats agree when |actual - expected| <= absolute + relative * |expected|;
/// NaN agrees with NaN. Integers, booleans and strings agree when equal.
struct Tolerance {
  double relative, absolute;
};

/// What differs, as the end of a sentence ("has shape 2x3, expected 3x2"), or
/// nothing when the values agree.
std::optional<std::string> outputError(const Datum &actual, const Datum &expected,
                                       Tolerance tolerance);

} // namespace convoy::check
