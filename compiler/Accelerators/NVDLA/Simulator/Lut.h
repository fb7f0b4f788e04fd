// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two-table look-up of SDP and CDP. Both units choose between the tables alike and differ in
// widths and in where they round.

#pragma once

#include "Accelerators/NVDLA/Simulator/Jobs.h"

namespace convoy::nvdla {

enum class LutState : uint8_t { Hit, Underflow, Overflow };

/// True when LO gives the result. Both underflow, both overflow and "neither of these nor exactly
/// one hit" are decided by the three priorities.
bool takesLo(const LutTables &lut, LutState le, LutState lo);

/// SDP's: 32-bit input and result, one rounding of the interpolated sum, 35 fraction bits.
int32_t lookUpSdp(const LutTables &lut, int32_t x, LutCounters *counters = nullptr);

/// CDP's: 38-bit input, 16-bit result, the interpolated difference rounded, 16 fraction bits.
int32_t lookUpCdp(const LutTables &lut, int64_t x, LutCounters *counters = nullptr);

/// Either unit's in fp16 mode. No trace and no loadable exercises it.
float lookUpFloat(const LutTables &lut, float x);

} // namespace convoy::nvdla
