// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats numbers with a fixed number of decimals.

#include "timing/NumberText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::timing {

std::string fixedText(double value, int digits) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, value);
  return text;
}

std::string msText(double ms) { return fixedText(ms, ms < 1 ? 4 : ms < 100 ? 2 : 1); }

std::string intervalText(const Estimate &estimate) {
  return fixedText(estimate.low, 3) + " .. " + fixedText(estimate.high, 3);
}

} // namespace convoy::timing
