// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words about the placement of a model on a device: no op runs there, --require-device,
// --place, and the verdict that compares the estimates of the device and the CPU.

#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace convoy;
using namespace convoy::tool;

namespace {

constexpr llvm::StringLiteral kUnused =
    "0 of 1 ops run on abstract: the model computes in float and abstract in uint8, int8; add "
    "--calibrate DIR to quantize the model\n";

struct PlacementTest : tool::test::DriverCase {
  bool has(const std::string &text, llvm::StringRef part) {
    return llvm::StringRef(text).contains(part);
  }
};

TEST_F(PlacementTest, EveryVerbWarnsOfADeviceThatRunsNothing) {
  std::string path = op("ConvWithBias", /*isQuantized=*/false);
  std::string json = folder.file("bench.json");
  const std::vector<std::vector<std::string>> verbs = {
      {"compile", path, "--target=abstract", "-o", folder.file("out"), "--json"},
      {"run", path, "--target=abstract", "--input=random", "--json"},
      {"check", path, "--target=abstract", "--json"},
      {"explain", path, "--target=abstract", "--json"},
      {"bench", path, "--target=abstract", "--repetitions=1", "--json=" + json}};
  for (const std::vector<std::string> &arguments : verbs) {
    ASSERT_EQ(convoy(arguments), kDone) << arguments.front() << err;
    EXPECT_EQ(err, ("warning: " + kUnused).str()) << arguments.front();
    if (arguments.front() == "bench") {
      out = (*llvm::MemoryBuffer::getFile(json))->getBuffer().str();
    }
    EXPECT_TRUE(has(out, "\"warnings\": [\n")) << out;
    EXPECT_TRUE(has(out, "\"placed_ops\": 0")) << out;
  }
}

TEST_F(PlacementTest, RequireDeviceMakesItAnError) {
  std::string path = op("ConvWithBias", /*isQuantized=*/false);
  for (const char *verb : {"compile", "run", "check", "explain", "bench"}) {
    std::vector<std::string> arguments = {verb, path, "--target=abstract", "--require-device"};
    if (llvm::StringRef(verb) == "run") {
      arguments.push_back("--input=random");
    }
    EXPECT_EQ(convoy(arguments), kUnsupported) << verb;
    EXPECT_EQ(err, ("error: not supported: --require-device expects at least one op on abstract, "
                    "found that " +
                    kUnused)
                       .str())
        << verb;
  }
  EXPECT_EQ(convoy({"compile", path, "--target=abstract", "--emit=program"}), kUnsupported);
  EXPECT_TRUE(has(err, "error: not supported: --emit=program expects at least one op on")) << err;
  std::string integers = op("ConvWithBias", /*isQuantized=*/true);
  for (const char *flag : {"--require-device", "--place=fastest"}) {
    EXPECT_EQ(convoy({"check", integers, "--target=host,abstract", flag}), kDone) << err;
  }
}

TEST_F(PlacementTest, RequireDeviceNeedsADevice) {
  std::string path = op("Relu", /*isQuantized=*/false);
  EXPECT_EQ(convoy({"compile", path, "--require-device", "-o", folder.file("out")}), kUserError);
  EXPECT_EQ(err, "error: --require-device expects a device as --target, got 'host'; `convoy "
                 "targets` lists the devices\n");
  EXPECT_EQ(convoy({"run", path, "--input=random", "--place=fastest"}), kUserError);
  EXPECT_TRUE(has(err, "error: --place=fastest expects a device as --target, got 'host'")) << err;
  EXPECT_EQ(convoy({"check", path, "--require-device"}), kUserError);
  EXPECT_TRUE(has(err, "--require-device expects a device among --target, got 'host'")) << err;
  EXPECT_EQ(convoy({"tune", path, "--list-tasks", "--require-device"}), kUserError);
  EXPECT_TRUE(has(err, "--require-device has no effect on `convoy tune`")) << err;
}

TEST_F(PlacementTest, AnotherRemedyWhereTheFlagsKeepAModelFloat) {
  std::string path = op("ConvWithBias", /*isQuantized=*/true);
  ASSERT_EQ(convoy({"explain", path, "--target=abstract", "--integer=off"}), kDone) << err;
  EXPECT_TRUE(has(err, "; remove --integer=off\n")) << err;
}

TEST_F(PlacementTest, SweepOfAnUnusedDeviceIsAnError) {
  std::string path = op("ConvWithBias", /*isQuantized=*/false);
  EXPECT_EQ(convoy({"sweep", path, "--target=abstract"}), kUnsupported);
  EXPECT_EQ(err, ("error: not supported: `convoy sweep` expects at least one op on the device, "
                  "found that " +
                  kUnused)
                     .str());
}

TEST_F(PlacementTest, TheVerdictComparesEstimates) {
  std::string path = op("ConvWithBias", /*isQuantized=*/true);
  // One multiply-accumulate per cycle is slower than any CPU.
  std::string slow = "--target=abstract:pes=1";
  for (const std::vector<std::string> &arguments :
       std::vector<std::vector<std::string>>{{"explain", path, slow},
                                             {"compile", path, slow, "-o", folder.file("out")},
                                             {"run", path, slow, "--input=random"},
                                             {"check", path, slow}}) {
    ASSERT_EQ(convoy(arguments), kDone) << arguments.front() << err;
    EXPECT_TRUE(has(out, "abstract:pes=1 is estimated to take ")) << out;
    EXPECT_TRUE(llvm::StringRef(out).ends_with(
        ": slower; --place=fastest keeps slower regions on the CPU\n"))
        << out;
  }
}

TEST_F(PlacementTest, FastestKeepsASlowerRegionOnTheCpu) {
  std::string path = op("ConvWithBias", /*isQuantized=*/true);
  ASSERT_EQ(convoy({"explain", path, "--target=abstract:pes=1", "--place=fastest"}), kDone) << err;
  EXPECT_TRUE(has(out, ": CPU: its region is estimated to take ")) << out;
  EXPECT_TRUE(has(out, " us on one CPU core; --place=all places it\n")) << out;
  EXPECT_TRUE(has(out, " in 0 regions on abstract:pes=1\n")) << out;
  EXPECT_TRUE(has(err, "--place=all places it")) << err;
  ASSERT_EQ(convoy({"run", path, "--target=abstract:pes=65536", "--place=fastest", "--input=random",
                    "--json"}),
            kDone)
      << err;
  EXPECT_TRUE(has(out, "\"policy\": \"fastest\"")) << out;
}

TEST_F(PlacementTest, CheckOfLayersNeedsIntegerLayers) {
  std::string path = op("ConvWithBias", /*isQuantized=*/false);
  ASSERT_EQ(convoy({"check", path, "--layer-errors"}), kDone) << err;
  EXPECT_EQ(err,
            "warning: --layer-errors compares integer layers with ONNX's arithmetic, and the model "
            "has none; add --calibrate DIR to quantize a float model\n");
}

} // namespace
