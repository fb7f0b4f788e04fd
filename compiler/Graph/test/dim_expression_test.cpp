// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the values of dimension expressions and the words of their errors.

#include "Graph/DimExpression.h"
#include "Graph/TypeInference.h"
#include <gtest/gtest.h>

namespace convoy::graph {
namespace {

/// Knows n = 7, open = ?, x[0] = 3 and x[-1] = 5.
llvm::Expected<int64_t> lookup(llvm::StringRef name, std::optional<int64_t> index) {
  if (name == "n" && !index) {
    return 7;
  }
  if (name == "open" && !index) {
    return kDynamic;
  }
  if (name == "x" && index && (*index == 0 || *index == -1)) {
    return *index == 0 ? 3 : 5;
  }
  return llvm::createStringError("reads '" + name + "'");
}

int64_t valueOf(llvm::StringRef text) { return llvm::cantFail(evaluateDim(text, lookup)); }
std::string errorOf(llvm::StringRef text) {
  return llvm::toString(evaluateDim(text, lookup).takeError());
}

TEST(DimExpression, FollowsPrecedence) {
  EXPECT_EQ(valueOf("2 + 3 * n"), 23);
  EXPECT_EQ(valueOf("(2 + 3) * n"), 35);
  EXPECT_EQ(valueOf("10 - 3 - 2"), 5);
  EXPECT_EQ(valueOf(" x[0]*x[ -1 ] "), 15);
}

TEST(DimExpression, DivisionRoundsDown) {
  EXPECT_EQ(valueOf("7 / 2"), 3);
  EXPECT_EQ(valueOf("(0 - 7) / 2"), -4);
  EXPECT_EQ(valueOf("(0 - 7) % 2"), 1);
}

TEST(DimExpression, AnUnknownValueMakesTheResultUnknown) {
  EXPECT_EQ(valueOf("open * 2 + 1"), kDynamic);
  EXPECT_EQ(valueOf("1 + open"), kDynamic);
}

TEST(DimExpression, ReportsWhereTheTextIsWrong) {
  EXPECT_EQ(errorOf(""), "the expression '' ends where a number, a name or '(' is expected");
  EXPECT_EQ(errorOf("n n"),
            "the expression 'n n' has 'n' where an operator or the end is expected");
  EXPECT_EQ(errorOf("(n"), "the expression '(n' ends where ')' is expected");
  EXPECT_EQ(errorOf("x[0"), "the expression 'x[0' ends where ']' is expected");
  EXPECT_EQ(errorOf("x[n]"), "the expression 'x[n]' has 'n]' where an integer is expected");
  EXPECT_EQ(errorOf("y + 1"), "the expression 'y + 1' reads 'y'");
  EXPECT_EQ(errorOf("99999999999999999999"), "the expression '99999999999999999999' has the number "
                                             "99999999999999999999, which exceeds 64 bits");
}

TEST(DimExpression, LimitsLengthAndDepth) {
  std::string deep = std::string(17, '(') + "n" + std::string(17, ')');
  EXPECT_EQ(errorOf(deep), "the expression '" + deep + "' has more than 16 nested parentheses");
  EXPECT_EQ(valueOf(std::string(16, '(') + "n" + std::string(16, ')')), 7);
  std::string text(257, '1');
  EXPECT_EQ(errorOf(text),
            "the expression '" + text + "' has 257 characters, expected at most 256");
}

TEST(DimExpression, ReportsOverflow) {
  EXPECT_EQ(errorOf("9223372036854775807 * 2"),
            "the expression '9223372036854775807 * 2' exceeds the range of 64-bit integers");
  EXPECT_EQ(errorOf("0 - 9223372036854775807 - 1"),
            "the expression '0 - 9223372036854775807 - 1' exceeds the range of 64-bit integers");
  EXPECT_EQ(errorOf("n % 0"), "the expression 'n % 0' divides by 0, expected a positive number");
}

} // namespace
} // namespace convoy::graph
