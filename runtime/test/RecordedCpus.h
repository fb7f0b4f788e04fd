// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPUs as data: the cpuid leaves that report features, XCR0, and whether the operating system
// permits tile registers. Tests pass these data to the decoder instead of the host's CPU.

#ifndef CONVOY_TESTS_RUNTIME_RECORDEDCPUS_H
#define CONVOY_TESTS_RUNTIME_RECORDEDCPUS_H

#include "runtime/core/cpu_x86.h"
#include <cstdint>
#include <string>
#include <vector>

namespace convoy::test {

struct RecordedLeaf {
  uint32_t leaf;
  uint32_t subleaf;
  uint32_t registers[CONVOY_REGISTER_COUNT]; // eax, ebx, ecx, edx
};

/// The decoder must not read an unset `xcr0`: without OSXSAVE, xgetbv is an illegal instruction.
struct RecordedCpu {
  std::string name;
  std::vector<RecordedLeaf> leaves;
  uint64_t xcr0 = 0;
  bool grantsTiles = true;

  RecordedLeaf &leaf(uint32_t number, uint32_t subleaf = 0);
  /// Returns the source for the decoder. Reading a leaf that was not recorded fails the test: the
  /// CPU does not report this leaf and would return the registers of another leaf.
  convoy_x86_source source() const;
};

RecordedCpu haswellClient();
RecordedCpu skylakePentium();
RecordedCpu zen4();
RecordedCpu sapphireRapids();
RecordedCpu graniteRapids();

} // namespace convoy::test

#endif // CONVOY_TESTS_RUNTIME_RECORDEDCPUS_H
