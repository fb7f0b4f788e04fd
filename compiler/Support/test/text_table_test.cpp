// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the alignment and the widths of text tables.

#include "Support/TextTable.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

std::string textOf(const TextTable &table, llvm::StringRef indent = "") {
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os, indent);
  return text;
}

TEST(TextTableTest, AlignsColumnsByKind) {
  TextTable table({{"layer"}, {"cycles", ColumnKind::Number}, {"note"}});
  table.add({"conv", "12", "first"});
  table.add({"a-long-name", "12345678", ""});
  EXPECT_EQ(textOf(table), "layer          cycles  note\n"
                           "conv               12  first\n"
                           "a-long-name  12345678\n");
}

TEST(TextTableTest, LeavesNoTrailingSpacesInShortRows) {
  TextTable table({{"a"}, {"b"}, {"c"}});
  table.add({"1"});
  table.add({"", "wide"});
  EXPECT_EQ(textOf(table, "  "), "  a  b     c\n"
                                 "  1\n"
                                 "     wide\n");
}

TEST(TextTableTest, PrintsNoHeaderWithoutTitles) {
  TextTable table({{"", ColumnKind::Number}, {""}});
  table.add({"8", "Concat"});
  table.add({"26", "Conv"});
  EXPECT_EQ(textOf(table), " 8  Concat\n26  Conv\n");
}

TEST(TextTableTest, DoesNotWidenColumnsForFreeText) {
  TextTable table({{"pes", ColumnKind::Number}, {"cycles", ColumnKind::Number}});
  table.addWithText({"4"}, "a problem that is longer than the columns");
  table.add({"16", "100"});
  EXPECT_EQ(textOf(table), "pes  cycles\n"
                           "  4  a problem that is longer than the columns\n"
                           " 16     100\n");
}

TEST(TextTableTest, CountsCodePoints) {
  TextTable table({{"name"}, {"x"}});
  table.add({"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", "1"});
  table.add({"abcd", "2"});
  EXPECT_EQ(textOf(table), "name  x\n"
                           "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f  1\n"
                           "abcd  2\n");
}

} // namespace
