// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contains the values of the CPUID leaves. The sources of the values:
//
// - Published cpuid dumps of the named models, without the leaves and registers that
//   report no feature. The dump of the Haswell lacks leaf 0xd.1; the recorded leaf has
//   XSAVEOPT (EAX 0) but not XSAVEC.
// - Granite Rapids is the recorded Sapphire Rapids plus the bits that Intel's manual
//   lists: AMX-FP16 (leaf 7.1, EAX 21), PREFETCHI (7.1, EDX 14), AVX10 (7.1, EDX 19),
//   and leaf 0x24 with version 1 and vectors of 128, 256 and 512 bits (EBX 16 to 18).
// - XCR0 has the bits that Linux sets on that CPU: x87, SSE (bits 0, 1), AVX (2), AVX-512
//   (5, 6, 7), PKRU (9), AMX (17, 18).

#include "RecordedCpus.h"
#include <gtest/gtest.h>

namespace convoy::test {
namespace {

void readRecordedLeaf(const void *context, uint32_t leaf, uint32_t subleaf, uint32_t *registers) {
  for (const RecordedLeaf &recorded : static_cast<const RecordedCpu *>(context)->leaves) {
    if (recorded.leaf == leaf && recorded.subleaf == subleaf) {
      std::copy(std::begin(recorded.registers), std::end(recorded.registers), registers);
      return;
    }
  }
  ADD_FAILURE() << "reads leaf " << leaf << " subleaf " << subleaf << ", which is not announced";
}

uint64_t readRecordedState(const void *context) {
  const auto &cpu = *static_cast<const RecordedCpu *>(context);
  EXPECT_NE(cpu.xcr0, 0u) << cpu.name << ": reads XCR0 without OSXSAVE";
  return cpu.xcr0;
}

int grantRecordedTiles(const void *context) {
  return static_cast<const RecordedCpu *>(context)->grantsTiles;
}

} // namespace

RecordedLeaf &RecordedCpu::leaf(uint32_t number, uint32_t subleaf) {
  for (RecordedLeaf &recorded : leaves) {
    if (recorded.leaf == number && recorded.subleaf == subleaf) {
      return recorded;
    }
  }
  leaves.push_back({number, subleaf, {}});
  return leaves.back();
}

convoy_x86_source RecordedCpu::source() const {
  return {readRecordedLeaf, readRecordedState, grantRecordedTiles, this};
}

// Core i7-4710MQ: AVX2 and FMA, no subleaf 1 of leaf 7.
RecordedCpu haswellClient() {
  return {"Haswell",
          {{0x0, 0, {0xd, 0, 0, 0}},
           {0x1, 0, {0x000306c3, 0, 0x7fdafbbf, 0xbfebfbff}},
           {0x7, 0, {0, 0x000027ab, 0, 0}},
           {0xd, 1, {0x1, 0, 0, 0}},
           {0x80000000, 0, {0x80000008, 0, 0, 0}},
           {0x80000001, 0, {0, 0, 0x00000021, 0x2c100000}},
           {0x80000008, 0, {0, 0, 0, 0}}},
          0x7};
}

// Pentium 4405U: LLVM names it skylake, but it has neither AVX nor BMI.
RecordedCpu skylakePentium() {
  return {"Skylake Pentium",
          {{0x0, 0, {0x16, 0, 0, 0}},
           {0x1, 0, {0x000406e3, 0, 0x4ffaebbf, 0xbfebfbff}},
           {0x7, 0, {0, 0x02942607, 0, 0x0c000000}},
           {0xd, 1, {0xf, 0, 0, 0}},
           {0x14, 0, {0x1, 0x0000000f, 0x7, 0}},
           {0x80000000, 0, {0x80000008, 0, 0, 0}},
           {0x80000001, 0, {0, 0, 0x00000121, 0x2c100800}},
           {0x80000008, 0, {0, 0, 0, 0}}},
          0x3};
}

// Ryzen 7 7700X.
RecordedCpu zen4() {
  return {"Zen 4",
          {{0x0, 0, {0x10, 0, 0, 0}},
           {0x1, 0, {0x00a60f12, 0, 0x7ef8320b, 0x178bfbff}},
           {0x7, 0, {0x1, 0xf1bf97a9, 0x00405fce, 0x10000010}},
           {0x7, 1, {0x00000020, 0, 0, 0}},
           {0xd, 1, {0xf, 0, 0, 0}},
           {0x80000000, 0, {0x80000028, 0, 0, 0}},
           {0x80000001, 0, {0x00a60f12, 0, 0x75c237ff, 0x2fd3fbff}},
           {0x80000008, 0, {0, 0x191ef257, 0, 0}}},
          0x2e7};
}

// Xeon w7-2475X.
RecordedCpu sapphireRapids() {
  return {"Sapphire Rapids",
          {{0x0, 0, {0x20, 0, 0, 0}},
           {0x1, 0, {0x000806f8, 0, 0x7ffefbff, 0xbfebfbff}},
           {0x7, 0, {0x2, 0xf3bfbffb, 0xbb417fee, 0xffdd4430}},
           {0x7, 1, {0x00001c30, 0, 0, 0}},
           {0xd, 1, {0x1f, 0, 0, 0}},
           {0x14, 0, {0x1, 0x0000005f, 0x7, 0}},
           {0x19, 0, {0, 0, 0, 0}},
           {0x80000000, 0, {0x80000008, 0, 0, 0}},
           {0x80000001, 0, {0, 0, 0x00000121, 0x2c100000}},
           {0x80000008, 0, {0, 0x00000200, 0, 0}}},
          0x602e7};
}

RecordedCpu graniteRapids() {
  RecordedCpu cpu = sapphireRapids();
  cpu.name = "Granite Rapids";
  cpu.leaf(0x0).registers[CONVOY_EAX] = 0x24;
  cpu.leaf(0x1).registers[CONVOY_EAX] = 0x000a06d1; // family 6, model 173
  cpu.leaf(0x7, 1).registers[CONVOY_EAX] |= 1u << 21;
  cpu.leaf(0x7, 1).registers[CONVOY_EDX] |= 1u << 14 | 1u << 19;
  cpu.leaf(0x24).registers[CONVOY_EBX] = 0x00070001;
  return cpu;
}

} // namespace convoy::test
