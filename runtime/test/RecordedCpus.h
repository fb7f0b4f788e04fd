// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPUs as data: the cpuid leaves that announce features, XCR0, and whether the operating
// system grants tile registers. Tests pass them to the decoder instead of this CPU.

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

/// An unset `xcr0` is one that must not be read: without OSXSAVE, xgetbv is an illegal
/// instruction.
struct RecordedCpu {
  std::string name;
  std::vector<RecordedLeaf> leaves;
  uint64_t xcr0 = 0;
  bool grantsTiles = true;

  RecordedLeaf &leaf(uint32_t number, uint32_t subleaf = 0);
  /// As the decoder takes it. A leaf that was not recorded fails the test: the CPU does
  /// not announce it, and would answer with the registers of another leaf.
  convoy_x86_source source() const;
};

RecordedCpu haswellClient();
RecordedCpu skylakePentium();
RecordedCpu zen4();
RecordedCpu sapphireRapids();
RecordedCpu graniteRapids();

} // namespace convoy::test

#endif // CONVOY_TESTS_RUNTIME_RECORDEDCPUS_H
