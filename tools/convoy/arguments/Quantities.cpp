// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads durations, sizes and percentages: a number and one unit.

#include "tools/convoy/arguments/Quantities.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

namespace convoy::tool {
namespace {

struct Unit {
  llvm::StringLiteral name;
  double factor;
};

constexpr Unit kDurations[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1},
                               {"m", 60},    {"h", 3600},  {"d", 86400}};

struct SizeUnit {
  llvm::StringLiteral name, longName;
  int64_t bytes;
};

// Largest first, for sizeText.
constexpr SizeUnit kSizes[] = {
    {"G", "GiB", 1 << 30}, {"M", "MiB", 1 << 20}, {"K", "KiB", 1 << 10}, {"", "B", 1}};

bool isUnitLetter(char c) { return llvm::isAlpha(c); }

} // namespace

std::optional<double> parseDuration(llvm::StringRef text, double plainSeconds) {
  llvm::StringRef number = text.take_while([](char c) { return !isUnitLetter(c); });
  llvm::StringRef unit = text.drop_front(number.size());
  double value = 0, factor = plainSeconds;
  if (number.empty() || number.getAsDouble(value) || value < 0) {
    return std::nullopt;
  }
  if (!unit.empty()) {
    const Unit *found = std::find_if(std::begin(kDurations), std::end(kDurations),
                                     [&](const Unit &row) { return row.name == unit; });
    if (found == std::end(kDurations)) {
      return std::nullopt;
    }
    factor = found->factor;
  }
  return value * factor;
}

std::string unitOf(double seconds) {
  const Unit *found = std::find_if(std::begin(kDurations), std::end(kDurations),
                                   [&](const Unit &row) { return row.factor == seconds; });
  return found == std::end(kDurations) ? "" : found->name.str();
}

std::optional<int64_t> parseSize(llvm::StringRef text) {
  llvm::StringRef number = text.take_while(llvm::isDigit);
  llvm::StringRef unit = text.drop_front(number.size());
  int64_t value = 0;
  for (const SizeUnit &row : kSizes) {
    if (unit == row.name || unit == row.longName) {
      bool isWrong = number.getAsInteger(10, value) || value > INT64_MAX / row.bytes;
      return isWrong ? std::nullopt : std::optional<int64_t>(value * row.bytes);
    }
  }
  return std::nullopt;
}

std::optional<double> parsePercent(llvm::StringRef text) {
  double value = 0;
  if (!text.consume_back("%") || text.rtrim().getAsDouble(value) || !(value >= 0 && value <= 100)) {
    return std::nullopt;
  }
  return value / 100;
}

std::string sizeText(int64_t bytes) {
  for (const SizeUnit &row : kSizes) {
    // Devices read no larger unit than M.
    if (row.bytes <= 1 << 20 && bytes % row.bytes == 0) {
      return std::to_string(bytes / row.bytes) + row.name.str();
    }
  }
  return std::to_string(bytes);
}

} // namespace convoy::tool
