// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cores and memory of this process, as the system sees them.

#pragma once

#include <vector>

namespace convoy::measure {

/// Lets this thread, and those it makes, run on the first `count` cores that the
/// process may use and nowhere else.
void pinToCores(int count);

/// Lets this thread run on core `index` of those alone.
void pinToCore(int index);

/// Lets this thread, and those it makes, run on these CPUs, by the system's numbers.
void pinToCpus(const std::vector<int> &cpus);

/// Waits until all other threads of this process sleep. Ends the process when they
/// do not within some seconds: nothing could be measured beside them.
void awaitSleepingThreads();

/// The most memory that this process has ever had resident, in MB of 10^6 bytes.
double peakResidentMb();

} // namespace convoy::measure
