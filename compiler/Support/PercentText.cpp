// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats shares as percentages, for tables and messages.

#include "Support/PercentText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy {
namespace {

// The least percentage that "%.0f" prints as 10 and "%.1f" would print as 10.0.
constexpr double kLeastWithoutDecimal = 9.95;

double percentOf(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string textOf(double percent, int decimals) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f %%", decimals, percent);
  return text;
}

} // namespace

std::string percentText(double part, double whole) { return textOf(percentOf(part, whole), 1); }

std::string finePercentText(double part, double whole) { return textOf(percentOf(part, whole), 2); }

std::string shortPercentText(double part, double whole) {
  double percent = percentOf(part, whole);
  return textOf(percent, percent < kLeastWithoutDecimal ? 1 : 0);
}

} // namespace convoy
