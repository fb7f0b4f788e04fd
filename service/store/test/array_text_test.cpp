// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of PostgreSQL arrays, and of rows.

#include "service/store/ArrayText.h"
#include "service/store/Rows.h"
#include <gtest/gtest.h>

namespace convoy::service::store {
namespace {

TEST(ArrayText, quotes_every_text) {
  ArrayText array;
  EXPECT_EQ(array.str(), "{}");
  array.add("NULL");
  array.add("");
  array.add(R"(a "b" \ {c}, d)");
  EXPECT_EQ(array.str(), R"({"NULL","","a \"b\" \\ {c}, d"})");
}

TEST(ArrayText, numbers_keep_all_digits) {
  ArrayText array;
  array.add(int64_t{-9007199254740993});
  array.add(0.1);
  EXPECT_EQ(array.str(), "{-9007199254740993,0.10000000000000001}");
}

TEST(ArrayText, unstorable_bytes_are_replaced) {
  EXPECT_EQ(storableText(llvm::StringRef("a\0b", 3)), "ab");
  EXPECT_EQ(storableText("\xff!"), "\xef\xbf\xbd!");
}

TEST(TrialId, text_is_read_back) {
  TrialId id{"job-1/a", 12, 3};
  EXPECT_EQ(id.text(), "job-1/a/12/3");
  EXPECT_TRUE(trialIdFromText(id.text()) == id);
  for (const char *text : {"", "job", "job/1", "/1/2", "job/1/x", "job/-1/2", "job/1/2/"}) {
    EXPECT_FALSE(trialIdFromText(text).has_value()) << text;
  }
}

TEST(TrialState, names_are_read_back) {
  for (TrialState state : {TrialState::Requested, TrialState::Building, TrialState::Built,
                           TrialState::Measuring, TrialState::Done}) {
    EXPECT_EQ(trialStateFromName(name(state)), state);
  }
  EXPECT_FALSE(trialStateFromName("lost").has_value());
}

} // namespace
} // namespace convoy::service::store
