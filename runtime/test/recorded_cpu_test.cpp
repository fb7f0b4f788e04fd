// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests recorded CPUs in the runtime, which checks features when a library is loaded, and in the
// compiler, which describes the CPU: features, vectors, and flags for a C compiler.

#include "RecordedCpus.h"
#include "Targets/DetectHost.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::test;
using testing::Contains;
using testing::ElementsAreArray;
using testing::Not;

namespace {

using Names = std::vector<std::string>;

Names names(llvm::StringRef text) {
  Names list;
  for (llvm::StringRef name : llvm::split(text, ' ')) {
    list.push_back(name.str());
  }
  return list;
}

constexpr llvm::StringRef kSkylakePentium =
    "64bit cmov cx16 cx8 fxsr lzcnt mmx movbe popcnt prfchw sahf sse sse2 sse3 sse4.1 sse4.2 ssse3";
constexpr llvm::StringRef kHaswell =
    "64bit avx avx2 bmi bmi2 cmov cx16 cx8 f16c fma fxsr lzcnt mmx movbe popcnt sahf sse sse2 sse3 "
    "sse4.1 sse4.2 ssse3";
constexpr llvm::StringRef kZen4 =
    "64bit avx avx2 avx512bf16 avx512bitalg avx512bw avx512cd avx512dq avx512f avx512ifma "
    "avx512vbmi avx512vbmi2 avx512vl avx512vnni avx512vpopcntdq bmi bmi2 cmov cx16 cx8 evex512 "
    "f16c fma fxsr gfni lzcnt mmx movbe popcnt prfchw sahf sse sse2 sse3 sse4.1 sse4.2 sse4a "
    "ssse3";
constexpr llvm::StringRef kSapphireRapids =
    "64bit amx-bf16 amx-int8 amx-tile avx avx2 avx512bf16 avx512bitalg avx512bw avx512cd avx512dq "
    "avx512f avx512fp16 avx512ifma avx512vbmi avx512vbmi2 avx512vl avx512vnni avx512vpopcntdq "
    "avxvnni bmi bmi2 cmov cx16 cx8 evex512 f16c fma fxsr gfni lzcnt mmx movbe popcnt prfchw sahf "
    "sse sse2 sse3 sse4.1 sse4.2 ssse3";
constexpr llvm::StringRef kSapphireRapidsWithoutAvx512 =
    "64bit avx avx2 avxvnni bmi bmi2 cmov cx16 cx8 f16c fma fxsr gfni lzcnt mmx movbe popcnt "
    "prfchw sahf sse sse2 sse3 sse4.1 sse4.2 ssse3";
constexpr llvm::StringRef kSapphireRapidsWithoutAvx =
    "64bit bmi bmi2 cmov cx16 cx8 fxsr gfni lzcnt mmx movbe popcnt prfchw sahf sse sse2 sse3 "
    "sse4.1 sse4.2 ssse3";

/// Returns the compiler's description without caches and cores, which are the host's.
targets::Target describe(const RecordedCpu &cpu) {
  targets::Target target;
  target.triple = "x86_64-unknown-linux-gnu";
  convoy_x86_source source = cpu.source();
  target.features = targets::kernelFeatures(source);
  targets::describeCpu(target);
  return target;
}

/// Returns the features that the runtime reports as missing.
std::string missing(const RecordedCpu &cpu, const Names &features) {
  char text[2048];
  convoy_x86_source source = cpu.source();
  convoy_x86_missing(&source, llvm::join(features, ",").c_str(), text, sizeof(text));
  return text;
}

Names allKernelFeatures() {
  Names all;
  for (size_t i = 0; const char *name = convoy_x86_kernel_feature(i); ++i) {
    all.emplace_back(name);
  }
  return all;
}

Names without(Names list, llvm::StringRef prefix) {
  llvm::erase_if(list, [&](llvm::StringRef name) { return name.starts_with(prefix); });
  return list;
}

/// Checks that the compiler and the runtime find exactly the features in `expected`.
void expectFeatures(const RecordedCpu &cpu, const Names &expected) {
  SCOPED_TRACE(cpu.name);
  EXPECT_THAT(describe(cpu).features, ElementsAreArray(expected));
  EXPECT_EQ(missing(cpu, expected), "");
  Names rest = allKernelFeatures();
  llvm::erase_if(rest, [&](const std::string &name) { return llvm::is_contained(expected, name); });
  EXPECT_EQ(missing(cpu, rest), llvm::join(rest, ", "));
}

TEST(RecordedCpu, FeaturesOfEachFamily) {
  expectFeatures(skylakePentium(), names(kSkylakePentium));
  expectFeatures(haswellClient(), names(kHaswell));
  expectFeatures(zen4(), names(kZen4));
  expectFeatures(sapphireRapids(), names(kSapphireRapids));
}

TEST(RecordedCpu, GraniteRapidsIsSapphireRapidsWithHalfPrecisionTiles) {
  Names expected = names(kSapphireRapids);
  expected.insert(llvm::find(expected, "amx-int8"), "amx-fp16");
  RecordedCpu cpu = graniteRapids();
  expectFeatures(cpu, expected);
  EXPECT_EQ(missing(cpu, {"prefetchi"}), "") << "a description may name it";
  // A hypervisor may pass on the AVX10 bit without its leaf.
  cpu.leaf(0x24).registers[CONVOY_EBX] = 0;
  expectFeatures(cpu, expected);
}

TEST(RecordedCpu, FeaturesThatLlvmKnowsInPartAreDropped) {
  for (const char *name : {"avx10.1-256", "avx10.1-512", "egpr", "ndd", "ccmp"}) {
    EXPECT_THAT(allKernelFeatures(), Not(Contains(name)));
    EXPECT_EQ(missing(graniteRapids(), {name}), name);
  }
}

TEST(RecordedCpu, OperatingSystemWithoutTheRegisters) {
  RecordedCpu cpu = sapphireRapids();
  cpu.name = "no AMX";
  cpu.xcr0 = 0x2e7;
  expectFeatures(cpu, without(names(kSapphireRapids), "amx-"));
  cpu.name = "no AVX-512, no AMX";
  cpu.xcr0 = 0x7;
  expectFeatures(cpu, names(kSapphireRapidsWithoutAvx512));
  EXPECT_EQ(describe(cpu).vectorBytes, 32);
  EXPECT_EQ(describe(cpu).vectorRegisters, 16);
  // Opmask registers without the other AVX-512 state are not enough.
  cpu.name = "a part of AVX-512";
  cpu.xcr0 = 0x27;
  expectFeatures(cpu, names(kSapphireRapidsWithoutAvx512));
  cpu.name = "no AVX";
  cpu.xcr0 = 0x3;
  expectFeatures(cpu, names(kSapphireRapidsWithoutAvx));
  EXPECT_EQ(describe(cpu).vectorBytes, 16);
  EXPECT_FALSE(describe(cpu).hasFma);
  cpu.name = "no XSAVE";
  cpu.leaf(0x1).registers[CONVOY_ECX] &= ~(1u << 27);
  cpu.xcr0 = 0;
  expectFeatures(cpu, names(kSapphireRapidsWithoutAvx));
}

TEST(RecordedCpu, OperatingSystemThatRefusesTiles) {
  RecordedCpu cpu = sapphireRapids();
  cpu.grantsTiles = false;
  expectFeatures(cpu, without(names(kSapphireRapids), "amx-"));
}

TEST(RecordedCpu, VectorsFollowTheFeatures) {
  EXPECT_EQ(describe(skylakePentium()).vectorBytes, 16);
  EXPECT_FALSE(describe(skylakePentium()).hasFma);
  EXPECT_EQ(describe(haswellClient()).vectorBytes, 32);
  EXPECT_TRUE(describe(haswellClient()).hasFma);
  for (const RecordedCpu &cpu : {zen4(), sapphireRapids(), graniteRapids()}) {
    EXPECT_EQ(describe(cpu).vectorBytes, 64) << cpu.name;
    EXPECT_EQ(describe(cpu).vectorRegisters, 32) << cpu.name;
  }
}

TEST(RecordedCpu, FlagsForCCompilers) {
  auto flags = [](const RecordedCpu &cpu) { return llvm::join(describe(cpu).sourceCompiler, " "); };
  EXPECT_EQ(flags(skylakePentium()), "cc -O3 -march=x86-64-v2 -mlzcnt -mmovbe");
  EXPECT_EQ(flags(haswellClient()), "cc -O3 -march=x86-64-v3");
  EXPECT_EQ(flags(zen4()), "cc -O3 -march=x86-64-v4 -mavx512vnni");
  EXPECT_EQ(flags(sapphireRapids()),
            "cc -O3 -march=x86-64-v4 -mavxvnni -mavx512vnni -mamx-tile -mamx-int8");
  EXPECT_EQ(flags(graniteRapids()), flags(sapphireRapids()));
  RecordedCpu old = haswellClient();
  old.leaf(0x1).registers[CONVOY_ECX] &= ~(1u << 13); // CX16
  EXPECT_EQ(flags(old), "cc -O3 -march=x86-64 -mpopcnt -msahf -msse3 -msse4.1 -msse4.2 -mssse3 "
                        "-mavx -mavx2 -mbmi -mbmi2 -mf16c -mfma -mlzcnt -mmovbe");
}

TEST(RecordedCpu, CCompilersTakeTheFlagsWithoutAWarning) {
  int tried = 0;
  for (const char *compiler : {"clang-19", "gcc"}) {
    auto path = llvm::sys::findProgramByName(compiler);
    if (!path) {
      continue;
    }
    for (const RecordedCpu &cpu : {skylakePentium(), haswellClient(), zen4(), graniteRapids()}) {
      targets::Target target = describe(cpu);
      std::vector<llvm::StringRef> arguments(target.sourceCompiler.begin(),
                                             target.sourceCompiler.end());
      arguments.front() = *path;
      arguments.insert(arguments.end(),
                       {"-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "/dev/null"});
      EXPECT_EQ(llvm::sys::ExecuteAndWait(*path, arguments), 0) << compiler << ", " << cpu.name;
      ++tried;
    }
  }
  EXPECT_GT(tried, 0) << "neither clang-19 nor gcc is on the path";
}

TEST(RecordedCpu, TheFlagsAreNoPartOfTheFingerprint) {
  // The flags follow from the features, and records must stay valid if a compiler renames flags.
  targets::Target target = describe(sapphireRapids());
  targets::Target bare = target;
  bare.sourceCompiler.clear();
  EXPECT_EQ(target.fingerprint(), bare.fingerprint());
  bare.sourceCompiler = {"cc", "-O0"};
  EXPECT_NE(target.fingerprint(), bare.fingerprint());
}

TEST(RecordedCpu, LlvmKnowsEveryFeatureForKernels) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  std::string problem;
  const char *triple = "x86_64-unknown-linux-gnu";
  const llvm::Target *x86 = llvm::TargetRegistry::lookupTarget(triple, problem);
  ASSERT_TRUE(x86) << problem;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(x86->createMCSubtargetInfo(triple, "", ""));
  for (const std::string &name : allKernelFeatures()) {
    EXPECT_TRUE(
        llvm::any_of(subtarget->getAllProcessorFeatures(),
                     [&](const llvm::SubtargetFeatureKV &known) { return known.Key == name; }))
        << name;
  }
}

} // namespace
