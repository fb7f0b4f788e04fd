// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the limits of JSON from users.

#include "Support/Json.h"
#include "gtest/gtest.h"

using namespace convoy;

namespace {

std::string nested(size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  return value ? "" : llvm::toString(value.takeError());
}

TEST(Json, LimitsTheDepth) {
  EXPECT_EQ(errorOf(nested(64)), "");
  EXPECT_EQ(errorOf(nested(65)), "the JSON text has 65 nested levels, expected at most 64");
  EXPECT_EQ(errorOf(std::string(500000, '[')),
            "the JSON text has 500000 nested levels, expected at most 64");
  EXPECT_EQ(errorOf("{\"a\": " + nested(64) + "}"),
            "the JSON text has 65 nested levels, expected at most 64");
}

TEST(Json, BracketsInStringsAreNoLevels) {
  EXPECT_EQ(errorOf("[\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"]"), "");
  EXPECT_EQ(textDepth("(\"<\")"), 1);
}

TEST(Json, ArrowsOfTypesAreNoBrackets) {
  EXPECT_EQ(textDepth("affine_map<(d0) -> (d0)>"), 2);
  EXPECT_EQ(textDepth("f(a) -> (b) -> (c)"), 1);
}

} // namespace
