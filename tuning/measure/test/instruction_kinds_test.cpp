// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the kinds of instructions that the counting plug-in derives from encodings. The encodings
// are the output of an assembler.

#include "runtime/micro/instruction_kinds.h"
#include <gtest/gtest.h>

namespace {

struct Encoded {
  const char *text;
  uint32_t first, second;
  instruction_kind kind;
};

constexpr Encoded kThumb[] = {{"muls r0, r1", 0x4348, 0, KIND_MULTIPLY},
                              {"ldr r0, [r1]", 0x6808, 0, KIND_LOAD},
                              {"str r0, [r1]", 0x6008, 0, KIND_STORE},
                              {"ldrsh r0, [r1, r2]", 0x5e88, 0, KIND_LOAD},
                              {"strb r0, [r1, r2]", 0x5488, 0, KIND_STORE},
                              {"push {r4, lr}", 0xb510, 0, KIND_STORE},
                              {"pop {r4, pc}", 0xbd10, 0, KIND_LOAD},
                              {"cbz r0, 4", 0xb100, 0, KIND_BRANCH},
                              {"bx lr", 0x4770, 0, KIND_BRANCH},
                              {"adds r0, r1, r2", 0x1888, 0, KIND_INTEGER},
                              {"uxtb r0, r1", 0xb2c8, 0, KIND_INTEGER},
                              {"sdiv r0, r1, r2", 0xfb91, 0xf0f2, KIND_DIVIDE},
                              {"mul r8, r1, r2", 0xfb01, 0xf802, KIND_MULTIPLY},
                              {"smull r0, r1, r2, r3", 0xfb82, 0x0103, KIND_MULTIPLY},
                              {"ldr r0, [r1, #1024]", 0xf8d1, 0x0400, KIND_LOAD},
                              {"strd r0, r1, [r2]", 0xe9c2, 0x0100, KIND_STORE},
                              {"ldrd r0, r1, [r2]", 0xe9d2, 0x0100, KIND_LOAD},
                              {"tbb [r0, r1]", 0xe8d0, 0xf001, KIND_BRANCH},
                              {"b.w", 0xf7ff, 0xbfed, KIND_BRANCH},
                              {"le lr", 0xf00f, 0xc815, KIND_BRANCH},
                              {"add r8, r8, #1", 0xf108, 0x0801, KIND_INTEGER},
                              {"movw r0, #1234", 0xf240, 0x40d2, KIND_INTEGER},
                              {"vadd.f32 s0, s1, s2", 0xee30, 0x0a81, KIND_FLOATING},
                              {"vldr s0, [r0]", 0xed90, 0x0a00, KIND_LOAD},
                              {"vstr s0, [r0]", 0xed80, 0x0a00, KIND_STORE},
                              {"vmladav.s8 r0, q0, q1", 0xeef0, 0x0f02, KIND_VECTOR},
                              {"vldrb.8 q0, [r0], #16", 0xecb0, 0x1e10, KIND_VECTOR},
                              {"vstrw.32 q0, [r0]", 0xed80, 0x1f00, KIND_VECTOR},
                              {"vmul.i32 q0, q1, q2", 0xef22, 0x0954, KIND_VECTOR}};

constexpr Encoded kRiscv[] = {
    {"mul", 0x0533, 0x02b5, KIND_MULTIPLY},   {"div", 0x4533, 0x02b5, KIND_DIVIDE},
    {"c.lw", 0x4188, 0, KIND_LOAD},           {"c.sw", 0xc188, 0, KIND_STORE},
    {"lw", 0xa503, 0x7d05, KIND_LOAD},        {"beq", 0x0263, 0x00b5, KIND_BRANCH},
    {"c.j", 0xa001, 0, KIND_BRANCH},          {"ret", 0x8082, 0, KIND_BRANCH},
    {"c.add", 0x952e, 0, KIND_INTEGER},       {"c.addi", 0x0505, 0, KIND_INTEGER},
    {"c.lwsp", 0x4512, 0, KIND_LOAD},         {"c.swsp", 0xc22a, 0, KIND_STORE},
    {"c.flw", 0x6108, 0, KIND_LOAD},          {"fadd.s", 0x7553, 0x00b5, KIND_FLOATING},
    {"vle32.v", 0x6007, 0x0205, KIND_VECTOR}, {"vadd.vv", 0x0057, 0x0211, KIND_VECTOR},
    {"c.jalr", 0x9502, 0, KIND_BRANCH},       {"c.mv", 0x852e, 0, KIND_INTEGER}};

TEST(InstructionKindsTest, Thumb) {
  for (const Encoded &one : kThumb) {
    EXPECT_EQ(kind_of_thumb(one.first, one.second), one.kind) << one.text;
  }
}

TEST(InstructionKindsTest, Riscv) {
  for (const Encoded &one : kRiscv) {
    EXPECT_EQ(kind_of_riscv(one.first, one.second), one.kind) << one.text;
  }
}

} // namespace
