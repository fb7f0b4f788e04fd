// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests changes of a space by a file and the errors of the file.

#include "tuning/space/SpaceFile.h"
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

kernels::Space space() {
  kernels::Space space;
  space.templateId = "conv_direct";
  space.knobs = {
      {"tile", kernels::KnobKind::Split, {"vectors", "pixels"}, {{1, 8}, {2, 6}}},
      {"unroll", kernels::KnobKind::Ordered, {"unroll"}, {{4}, {8}}},
  };
  return space;
}

std::string problemOf(llvm::StringRef text) {
  llvm::Expected<SpaceFile> file = SpaceFile::parse(text, "f.json");
  if (!file) {
    return llvm::toString(file.takeError());
  }
  kernels::Space changed = space();
  return llvm::toString(file->apply(changed));
}

TEST(SpaceFile, ReplacesAddsAndRemoves) {
  auto file = SpaceFile::parse(R"({"conv_direct": {"unroll": [16], "tile": {"add": [[3, 4]],
                                   "remove": [[1, 8]]}}, "winograd": false})",
                               "f.json");
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  kernels::Space changed = space();
  ASSERT_FALSE(static_cast<bool>(file->apply(changed)));
  using Values = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(changed.knobs[0].values, (Values{{2, 6}, {3, 4}}));
  EXPECT_EQ(changed.knobs[1].values, (Values{{16}}));
  EXPECT_EQ(changed.size(), 2);
  EXPECT_FALSE(file->hasTemplate("winograd"));
  EXPECT_TRUE(file->hasTemplate("conv_direct"));
}

TEST(SpaceFile, SaysWhatIsWrong) {
  EXPECT_EQ(problemOf("[]"), "f.json: expected an object of templates");
  EXPECT_EQ(problemOf(R"({"conv": {}})"),
            "f.json: unknown template 'conv'; expected one of loops, conv_bytes, "
            "depthwise_bytes, pool_bytes, add_bytes, conv_direct, conv_dot, conv_tiles, depthwise, "
            "conv_pixels, pool_pixels, winograd, winograd_pixels, product, "
            "product_bytes, product_bits, rows, attention, recurrent");
  EXPECT_EQ(problemOf(R"({"winograd": 3})"),
            "f.json: template 'winograd' expects an object of knobs, or false to exclude it");
  EXPECT_EQ(problemOf(R"({"conv_direct": {"unrol": [1]}})"),
            "f.json: template 'conv_direct' has no knob 'unrol'; its knobs are tile, unroll");
  EXPECT_EQ(problemOf(R"({"conv_direct": {"tile": [3]}})"),
            "f.json: a value of knob 'tile' is 2 numbers (vectors, pixels), got 1");
  EXPECT_EQ(problemOf(R"({"conv_direct": {"unroll": {"more": [1]}}})"),
            "f.json: knob 'unroll' expects 'add' or 'remove', got 'more'");
  for (const char *values : {"8", "[-1]", "[1.5]", R"(["x"])", "[2097152]"}) {
    EXPECT_EQ(problemOf(std::string(R"({"conv_direct": {"unroll": )") + values + "}}"),
              "f.json: knob 'unroll' expects a list of whole numbers from 0 to 1048576, or of "
              "lists of them");
  }
  EXPECT_EQ(problemOf("{").substr(0, 8), "f.json: ");
}

} // namespace
} // namespace convoy::tuning
