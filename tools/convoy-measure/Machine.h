// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Controls the CPU affinity of this process and reads its memory use.

#pragma once

#include <vector>

namespace convoy::measure {

/// Restricts this thread, and the threads that it creates, to the first `count` CPUs that the
/// process may use.
void pinToCores(int count);

/// Returns the number of CPUs that this thread may run on.
int usableCores();

/// Returns the CPU on which a thread of this process ran last, or -1 if it is unknown.
int lastCpuOf(int thread);

/// Restricts this thread to CPU `index` of the CPUs that the process may use.
void pinToCore(int index);

/// Restricts this thread, and the threads that it creates, to these CPUs, by the system's
/// numbers.
void pinToCpus(const std::vector<int> &cpus);

/// Waits until all other threads of this process sleep. Ends the process if they do not sleep
/// within some seconds, because they would disturb the measurement.
void awaitSleepingThreads();

/// Returns the peak resident memory of this process in MB (10^6 bytes).
double peakResidentMb();

} // namespace convoy::measure
