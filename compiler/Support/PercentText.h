// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats shares as percentages, for tables and messages.

#pragma once

#include <string>

namespace convoy {

/// Returns part / whole as a percentage with one decimal: "12.3 %". Without a positive whole, the
/// share is 0.
std::string percentText(double part, double whole = 1);
/// As percentText, with two decimals: "87.19 %".
std::string finePercentText(double part, double whole = 1);
/// As percentText, with one decimal below 10 % and none above: "9.3 %", "12 %".
std::string shortPercentText(double part, double whole = 1);

} // namespace convoy
