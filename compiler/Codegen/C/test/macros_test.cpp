// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs macro_bodies.c for the instruction sets of this CPU. Emitted C contains the same bodies.

#include <gtest/gtest.h>

extern "C" {
const char *checkPlain();
const char *checkDefault();
#if defined(__x86_64__)
const char *checkSse41();
const char *checkAvx2();
const char *checkAvx512bw();
const char *checkAvx512vnni();
const char *checkAvxvnni();
const char *checkAmx();
#endif
}

namespace {

TEST(Macros, PlainBodiesDefineTheResult) { EXPECT_STREQ(checkPlain(), nullptr); }

TEST(Macros, DefaultBodiesAgree) { EXPECT_STREQ(checkDefault(), nullptr); }

#if defined(__x86_64__)
TEST(Macros, Sse41BodiesAgree) {
  if (!__builtin_cpu_supports("sse4.1")) {
    GTEST_SKIP() << "this CPU has no SSE4.1";
  }
  EXPECT_STREQ(checkSse41(), nullptr);
}

TEST(Macros, Avx2BodiesAgree) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    GTEST_SKIP() << "this CPU has no AVX2 or FMA";
  }
  EXPECT_STREQ(checkAvx2(), nullptr);
}

TEST(Macros, Avx512BodiesAgree) {
  if (!__builtin_cpu_supports("avx512bw")) {
    GTEST_SKIP() << "this CPU has no AVX-512 BW";
  }
  EXPECT_STREQ(checkAvx512bw(), nullptr);
}

TEST(Macros, Avx512VnniBodiesAgree) {
  if (!__builtin_cpu_supports("avx512vnni") || !__builtin_cpu_supports("avx512vl")) {
    GTEST_SKIP() << "this CPU has no AVX-512 VNNI";
  }
  EXPECT_STREQ(checkAvx512vnni(), nullptr);
}

TEST(Macros, AvxVnniBodiesAgree) {
  if (!__builtin_cpu_supports("avxvnni")) {
    GTEST_SKIP() << "this CPU has no AVX-VNNI";
  }
  EXPECT_STREQ(checkAvxvnni(), nullptr);
}

TEST(Macros, AmxBodiesAgree) {
  if (!__builtin_cpu_supports("amx-int8") || !__builtin_cpu_supports("avx512vnni")) {
    GTEST_SKIP() << "this CPU has no tile registers (AMX)";
  }
  EXPECT_STREQ(checkAmx(), nullptr);
}
#endif

} // namespace
