// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frequency and the temperature of a CPU, as far as the system shows them. Results carry them
// as notes.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace convoy::service {

/// Returns the current frequency of a CPU; 0 if the system does not show it. `sysFolder` is
/// "/sys".
int64_t readKilohertz(llvm::StringRef sysFolder, int cpu);

/// Returns the highest temperature of the thermal zones; 0 if the system shows none.
double readCelsius(llvm::StringRef sysFolder);

} // namespace convoy::service
