// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the keys and the order of the tuner's value types.

#include "tuning/space/Configuration.h"
#include "tuning/space/Task.h"
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

TEST(Task, KeyIsSha256OfTheText) {
  // FIPS 180-2 lists the digest of "abc".
  EXPECT_EQ(Task({"abc", ""}).key(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Task, NameIsNoPartOfTheKey) {
  EXPECT_EQ(Task({"abc", "one"}).key(), Task({"abc", "other"}).key());
  EXPECT_EQ(Task({"abc", "one"}), Task({"abc", "other"}));
}

TEST(Configuration, EveryFieldCounts) {
  Configuration a{"conv_direct", 1, "#kernel.conv_direct<>", "planar", "planar"};
  Configuration b = a;
  EXPECT_EQ(a, b);
  b.outputLayout = "#graph.blocked<c = 16>";
  EXPECT_FALSE(a == b);
  EXPECT_TRUE(b < a);
  b = a;
  b.templateVersion = 2;
  EXPECT_TRUE(a < b);
}

} // namespace
} // namespace convoy::tuning
