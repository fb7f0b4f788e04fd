// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two-table look-up of SDP and CDP. Both units choose between the tables by the same rule, and
// differ in widths and in where they round.

#pragma once

#include "Accelerators/NVDLA/Simulator/Jobs.h"

namespace convoy::nvdla {

enum class LutState : uint8_t { Hit, Underflow, Overflow };

/// Returns whether LO provides the result. The three priorities decide if both tables underflow, if
/// both overflow, and if neither case holds and not exactly one table is hit.
bool takesLo(const LutTables &lut, LutState le, LutState lo);

/// Looks up as SDP does: 32-bit input and result, one rounding of the interpolated sum, 35 fraction
/// bits.
int32_t lookUpSdp(const LutTables &lut, int32_t x, LutCounters *counters = nullptr);

/// Looks up as CDP does: 38-bit input, 16-bit result, rounding of the interpolated difference, 16
/// fraction bits.
int32_t lookUpCdp(const LutTables &lut, int64_t x, LutCounters *counters = nullptr);

/// Looks up as both units do in fp16 mode. No published trace and no loadable tests this mode.
float lookUpFloat(const LutTables &lut, float x);

} // namespace convoy::nvdla
