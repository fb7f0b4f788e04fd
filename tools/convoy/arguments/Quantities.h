// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Durations, sizes and shares as every flag spells them: "25ms", "10m", "512K", "16KiB", "0.5%".

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace convoy::tool {

/// Returns the seconds of "900us", "25ms", "10s", "10m", "1h" or "7d"; nothing for other
/// texts and for negative numbers. A number without a unit counts `plainSeconds`.
std::optional<double> parseDuration(llvm::StringRef text, double plainSeconds);

/// Returns the unit of a number of seconds: "ms" of 1e-3.
std::string unitOf(double seconds);

/// Returns the bytes of "4096", "512K", "1M", "2G" or, with the same meaning, "512KiB"; nothing
/// for other texts. K is 1024.
std::optional<int64_t> parseSize(llvm::StringRef text);

/// Returns the share of a percentage: 0.005 of "0.5%". Returns nothing for other texts and for
/// numbers outside 0 % to 100 %. The sign is required, because 0.5 could also mean a half.
std::optional<double> parsePercent(llvm::StringRef text);

/// Returns the bytes with the largest unit that needs no fraction: "512K".
std::string sizeText(int64_t bytes);

} // namespace convoy::tool
