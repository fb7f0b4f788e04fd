// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests target descriptions: the built-in ones, the description of this machine, and errors for
// invalid descriptions.

#include "Targets/CpuQuota.h"
#include "Targets/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace convoy::targets;
using testing::HasSubstr;

namespace {

/// Returns a complete description with one field replaced by the JSON text, or removed if the text
/// is empty.
std::string with(llvm::StringRef field, llvm::StringRef json, llvm::StringRef name = "x86-64-v3") {
  Target target = llvm::cantFail(findTarget(name));
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(toJson(target)));
  if (json.empty()) {
    value.getAsObject()->erase(field);
  } else {
    (*value.getAsObject())[field] = llvm::cantFail(llvm::json::parse(json));
  }
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

std::string errorOf(llvm::StringRef json) {
  auto target = parseTarget(json, "my.json");
  return target ? "parsed" : llvm::toString(target.takeError());
}

TEST(Targets, BuiltInOnesParse) {
  std::vector<Target> all = listTargets();
  ASSERT_EQ(all.size(), 20u);
  EXPECT_EQ(all[0].name, "host");
  EXPECT_EQ(all[1].name, "x86-64-v2");
  EXPECT_EQ(all[1].vectorBytes, 16);
  EXPECT_FALSE(all[1].hasFma);
  EXPECT_EQ(all[2].name, "x86-64-v3");
  EXPECT_EQ(all[2].vectorBytes, 32);
  EXPECT_FALSE(llvm::is_contained(all[2].features, "avx512f"));
  EXPECT_EQ(all[3].name, "x86-64-v4");
  EXPECT_EQ(all[3].vectorBytes, 64);
  EXPECT_EQ(all[4].name, "aarch64");
  EXPECT_EQ(all[4].vectorRegisters, 32);
  EXPECT_EQ(all[5].name, "aarch64-dotprod");
  EXPECT_TRUE(llvm::is_contained(all[5].features, "dotprod"));
  EXPECT_FALSE(llvm::is_contained(all[5].features, "i8mm"));
  EXPECT_EQ(all[6].name, "aarch64-i8mm");
  EXPECT_TRUE(llvm::is_contained(all[6].features, "i8mm"));
  EXPECT_EQ(all[7].name, "rv64gcv-256");
  EXPECT_EQ(all[7].vectorBytes, 256);
  EXPECT_EQ(all[8].name, "rv64gcv-1024");
  EXPECT_EQ(all[8].vectorBytes, 1024);
  EXPECT_EQ(all[8].vectorRegisters, 4);
  EXPECT_TRUE(all[8].hasScalarOperands);
  EXPECT_EQ(all[9].name, "ve");
  for (const Target &target : llvm::drop_begin(all)) {
    LoopForm form = target.toolchain ? LoopForm::Plain : LoopForm::Vectors;
    EXPECT_EQ(target.sourceLoops, form) << target.name;
    EXPECT_FALSE(target.sourceCompiler.empty()) << target.name;
  }
}

TEST(Targets, MicrocontrollersAreComplete) {
  std::vector<std::string> names, runnable;
  for (const Target &target : listTargets()) {
    if (!target.toolchain) {
      continue;
    }
    names.push_back(target.name);
    if (!target.toolchain->emulator.command.empty()) {
      runnable.push_back(target.name);
    }
    EXPECT_TRUE(target.instructionCycles.has_value()) << target.name;
    EXPECT_EQ(target.sourceCompiler, target.toolchain->compilers.front().command) << target.name;
    for (const Memory &memory : target.memories) {
      EXPECT_GT(memory.bytes, 0) << target.name;
      EXPECT_GT(memory.accessCycles, 0) << target.name;
      EXPECT_FALSE(memory.holds.empty()) << target.name;
    }
  }
  EXPECT_THAT(names, testing::ElementsAre("cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m7",
                                          "cortex-m33", "cortex-m55", "cortex-m85", "rv32imc",
                                          "rv32imafc", "rv32imc-zve32x"));
  EXPECT_THAT(runnable, testing::ElementsAre("cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m7",
                                             "cortex-m33", "cortex-m55", "rv32imc", "rv32imafc"));
}

TEST(Targets, NamesSelectTheCompiler) {
  Target plain = llvm::cantFail(findTarget("cortex-m55"));
  EXPECT_EQ(plain.sourceCompiler.front(), "arm-none-eabi-gcc");
  Target other = llvm::cantFail(findTarget("cortex-m55:clang"));
  EXPECT_EQ(other.sourceCompiler.front(), "clang-19");
  EXPECT_EQ(other.toolchain->compilers.size(), 2u);
  EXPECT_NE(plain.fingerprint(), other.fingerprint());
  EXPECT_EQ(llvm::toString(findTarget("cortex-m55:icc").takeError()),
            "unknown compiler 'icc' of target 'cortex-m55'; expected one of gcc, clang");
  EXPECT_EQ(llvm::toString(findTarget("x86-64-v3:gcc").takeError()),
            "unknown compiler 'gcc' of target 'x86-64-v3'; the target has no tool chain");
}

TEST(Targets, BrokenToolchainsSayWhatIsWrong) {
  auto microError = [](llvm::StringRef field, llvm::StringRef json) {
    return errorOf(with(field, json, "cortex-m4"));
  };
  EXPECT_EQ(microError("toolchain", "7"), "my.json: target.toolchain expects an object, got 7");
  EXPECT_EQ(microError("toolchain", "{\"start\": \"avr\"}"),
            "my.json: target.toolchain.start expects one of cortex-m, riscv, got \"avr\"");
  EXPECT_EQ(microError("toolchain", R"({"start": "riscv", "stackBytes": 64, "libraryStack": [)"
                                    R"({"bytes": -1, "functions": ["f"]}]})"),
            "my.json: target.toolchain.libraryStack[0].bytes expects an integer from 0 to 1048576, "
            "got -1");
  EXPECT_EQ(microError("instructionCycles", "{\"integer\": 0}"),
            "my.json: target.instructionCycles.integer expects an integer from 1 to 100000, got 0");
  std::string memory = R"([{"name": "ram", "bytes": 1024, "alignmentBytes": 64, )";
  EXPECT_EQ(microError("memories", memory + R"("address": "20000000"}])"),
            "my.json: target.memories[0].address expects a hexadecimal number of 32 bits such as "
            "\"0x20000000\", got \"20000000\"");
  EXPECT_EQ(microError("memories", memory + R"("holds": ["heap"]}])"),
            "my.json: target.memories[0].holds expects a list of code, weights, data, stack, got "
            "[\"heap\"]");
  EXPECT_EQ(microError("memories", memory + R"("holds": ["code", "weights", "data"]}])"),
            "my.json: target.memories expects a memory with a size that holds stack, because the "
            "target has a tool chain");
  EXPECT_EQ(microError("cores", "2"),
            "my.json: target.cores expects 1, because the target has a tool chain, got 2");
}

TEST(Targets, DeclareTheStackOfTheLibrary) {
  for (const Target &target : listTargets()) {
    if (target.toolchain) {
      EXPECT_EQ(target.toolchain->libraryStack.count("memcpy"), 1u) << target.name;
      EXPECT_EQ(target.toolchain->libraryStack.count("printf"), 0u) << target.name;
    }
  }
}

TEST(Targets, NamesAreNoCode) {
  std::string plain = "expects at most 128 letters, digits, blanks and ._+-:/,()";
  EXPECT_THAT(errorOf(with("features", R"(["sse2\"\n#error"])")), testing::HasSubstr(plain));
  EXPECT_THAT(errorOf(with("name", R"("a\nb")")), testing::HasSubstr(plain));
  EXPECT_THAT(errorOf(with("cpu", "\"" + std::string(129, 'a') + "\"")), testing::HasSubstr(plain));
  EXPECT_THAT(errorOf(with("memories", R"([{"name": "z\"", "bytes": 0, "alignmentBytes": 64}])")),
              testing::HasSubstr("my.json: target.memories[0].name " + plain));
}

TEST(Targets, TriplesHaveCodeGeneration) {
  for (const char *triple : {"i386-linux-gnu", "x86_64-pc-windows-msvc", "arm64-apple-darwin"}) {
    EXPECT_THAT(errorOf(with("triple", "\"" + std::string(triple) + "\"")),
                testing::HasSubstr("my.json: target.triple expects x86_64, aarch64, "));
  }
}

TEST(Targets, JsonRoundTrips) {
  for (const Target &target : listTargets()) {
    std::string json = toJson(target);
    auto parsed = parseTarget(json, target.name);
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    EXPECT_EQ(toJson(*parsed), json);
  }
}

TEST(Targets, HostIsDescribed) {
  Target host = detectHost();
  EXPECT_FALSE(host.triple.empty());
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_TRUE(llvm::is_sorted(host.features));
  EXPECT_GE(host.vectorBytes, 16);
  EXPECT_GE(host.cores, 1);
  ASSERT_TRUE(host.cache(1));
  EXPECT_GE(host.cache(1)->bytes, 4096);
  EXPECT_EQ(host.cache(7), nullptr);
  EXPECT_TRUE(missingFeatures(host, host).empty());
}

TEST(Targets, MissingFeaturesAreListed) {
  Target small;
  small.features = {"sse2"};
  Target large;
  large.features = {"avx", "avx2", "sse2"};
  EXPECT_THAT(missingFeatures(large, small), testing::ElementsAre("avx", "avx2"));
  EXPECT_TRUE(missingFeatures(small, large).empty());
  EXPECT_EQ(large.featureString(), "+avx,+avx2,+sse2");
}

TEST(Targets, SaysWhyCodeDoesNotRunHere) {
  Target host = detectHost();
  EXPECT_EQ(whyNotHere(host), "");
  Target future = host;
  future.features.push_back("warp9");
  EXPECT_EQ(whyNotHere(future), "this CPU lacks warp9");
  Target foreign = llvm::cantFail(findTarget("aarch64"));
  foreign.triple = "riscv64-unknown-linux-gnu";
  EXPECT_THAT(whyNotHere(foreign), HasSubstr(", not riscv64"));
}

TEST(Targets, EmulatorsAreOptional) {
  Target target = llvm::cantFail(findTarget("aarch64"));
  ASSERT_FALSE(target.emulator.empty());
  EXPECT_EQ(target.emulator.front(), "qemu-aarch64");
  EXPECT_TRUE(llvm::cantFail(findTarget("x86-64-v3")).emulator.empty());
  EXPECT_EQ(errorOf(with("emulator", "\"qemu\"")),
            "my.json: target.emulator expects an array, got \"qemu\"");
}

TEST(Targets, UnknownNamesListTheKnown) {
  auto target = findTarget("z80");
  EXPECT_EQ(llvm::toString(target.takeError()),
            "unknown target 'z80'; expected one of host, x86-64-v2, x86-64-v3, x86-64-v4, aarch64, "
            "aarch64-dotprod, aarch64-i8mm, rv64gcv-256, rv64gcv-1024, ve, cortex-m0plus, "
            "cortex-m3, cortex-m4, cortex-m7, "
            "cortex-m33, cortex-m55, cortex-m85, rv32imc, rv32imafc, rv32imc-zve32x, "
            "or the path of a .json file");
  auto file = findTarget("missing.json");
  EXPECT_THAT(llvm::toString(file.takeError()),
              HasSubstr("cannot read target description 'missing.json': "));
}

TEST(Targets, BrokenDescriptionsSayWhatIsWrong) {
  EXPECT_THAT(errorOf("{"), HasSubstr("my.json: not valid JSON: "));
  EXPECT_EQ(errorOf("[]"), "my.json: expected a target description that is a JSON object");
  EXPECT_EQ(errorOf(with("cpu", "")), "my.json: target lacks the required field 'cpu'");
  EXPECT_EQ(errorOf(with("cpu", "7")), "my.json: target.cpu expects a non-empty string, got 7");
  EXPECT_EQ(errorOf(with("cores", "0")),
            "my.json: target.cores expects an integer from 1 to 65536, got 0");
  EXPECT_EQ(errorOf(with("vectorBytes", "48")),
            "my.json: target.vectorBytes expects a power of two, got 48");
  EXPECT_EQ(errorOf(with("hasFma", "\"yes\"")),
            "my.json: target.hasFma expects true or false, got \"yes\"");
  EXPECT_EQ(errorOf(with("features", "[\"avx\", 2]")),
            "my.json: target.features expects an array of non-empty strings, got [\"avx\",2]");
  EXPECT_EQ(errorOf(with("caches", "{}")), "my.json: target.caches expects an array, got {}");
  EXPECT_EQ(errorOf(with("caches", "[1]")), "my.json: target.caches[0] expects an object");
  EXPECT_EQ(errorOf(with("caches", "[{\"level\": 1}]")),
            "my.json: target.caches[0] lacks the required field 'bytes'");
  EXPECT_THAT(
      errorOf(with("vectorBits", "256")),
      HasSubstr(
          "my.json: target has the unknown field 'vectorBits'; the fields are caches, cores,"));
}

/// Control groups as files in a temporary folder.
class Groups {
public:
  Groups() { EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("convoy-groups", root)); }
  ~Groups() { [[maybe_unused]] std::error_code error = llvm::sys::fs::remove_directories(root); }

  void write(llvm::StringRef folder, llvm::StringRef file, llvm::StringRef text) {
    std::string path = (root + "/" + folder).str();
    EXPECT_FALSE(llvm::sys::fs::create_directories(path));
    std::error_code error;
    llvm::raw_fd_ostream(path + "/" + file.str(), error) << text;
    EXPECT_FALSE(error);
  }

  int64_t quota(llvm::StringRef groups) { return cpuQuota(groups, root); }

private:
  llvm::SmallString<128> root;
};

TEST(CpuQuota, Version2IsBoundByEveryGroupAround) {
  Groups groups;
  EXPECT_EQ(groups.quota("0::/a/b\n"), 0);
  groups.write("a/b", "cpu.max", "max 100000\n");
  EXPECT_EQ(groups.quota("0::/a/b\n"), 0);
  groups.write("a", "cpu.max", "350000 100000\n");
  EXPECT_EQ(groups.quota("0::/a/b\n"), 3);
  groups.write("a/b", "cpu.max", "50000 100000\n");
  EXPECT_EQ(groups.quota("0::/a/b\n"), 1);
  // In a container the path is the host's and the mount is the container's.
  groups.write("", "cpu.max", "200000 100000\n");
  EXPECT_EQ(groups.quota("0::/docker/123\n"), 2);
}

TEST(CpuQuota, Version1HasItsOwnFiles) {
  Groups groups;
  groups.write("cpu/x", "cpu.cfs_quota_us", "-1\n");
  groups.write("cpu/x", "cpu.cfs_period_us", "100000\n");
  std::string text = "9:memory:/y\n4:cpu,cpuacct:/x\n0::/\n";
  EXPECT_EQ(groups.quota(text), 0);
  groups.write("cpu/x", "cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(groups.quota(text), 4);
  EXPECT_EQ(groups.quota("9:memory:/x\n"), 0);
}

} // namespace
