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
std::string with(llvm::StringRef field, llvm::StringRef json) {
  Target target = llvm::cantFail(findTarget("x86-64-v3"));
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
  ASSERT_EQ(all.size(), 8u);
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
  EXPECT_EQ(all[5].name, "rv64gcv-256");
  EXPECT_EQ(all[5].vectorBytes, 256);
  EXPECT_EQ(all[6].name, "rv64gcv-1024");
  EXPECT_EQ(all[6].vectorBytes, 1024);
  EXPECT_EQ(all[6].vectorRegisters, 4);
  EXPECT_TRUE(all[6].hasScalarOperands);
  EXPECT_EQ(all[7].name, "ve");
  for (const Target &target : llvm::drop_begin(all)) {
    EXPECT_EQ(target.sourceLoops, LoopForm::Vectors) << target.name;
    EXPECT_FALSE(target.sourceCompiler.empty()) << target.name;
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
            "rv64gcv-256, rv64gcv-1024, ve, "
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
