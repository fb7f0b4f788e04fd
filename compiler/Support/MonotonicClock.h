// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seconds of a clock that never jumps, for time limits and durations.

#pragma once

#include <chrono>

namespace convoy {

/// Returns the seconds since an arbitrary moment, which is the same in all processes of a machine.
inline double monotonicSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace convoy
