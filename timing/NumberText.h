// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in the tables of `convoy bench`.

#pragma once

#include "timing/Statistics.h"
#include <string>

namespace convoy::timing {

std::string fixedText(double value, int digits);
/// Formats milliseconds with at least three significant digits.
std::string msText(double ms);
/// "0.950 .. 1.020"
std::string intervalText(const Estimate &estimate);

} // namespace convoy::timing
