// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Old names of verbs, flags and values: they work with a warning until version 0.4.

#include "tools/convoy/arguments/OldNames.h"
#include "tools/convoy/test/DriverCase.h"
#include "tuning/records/RecordStore.h"
#include <gmock/gmock.h>

using namespace convoy;
using namespace convoy::tool;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

using Words = std::vector<std::string>;

struct OldNamesTest : tool::test::DriverCase {
  std::string relu() { return model(convoy::test::unaryModel("Relu", {"1", "3"})); }

  std::string records() {
    std::string file = folder.file("tune.db");
    llvm::cantFail(tuning::RecordStore::open(file, tuning::RecordStore::Access::Write).takeError());
    return file;
  }
};

TEST_F(OldNamesTest, BecomeTheNamesOfToday) {
  struct Case {
    Words given, expected;
    std::string warned; // the old name
  };
  const Case cases[] = {
      {{"compile", "m", "--localise=on"}, {"compile", "m", "--bands=auto"}, "--localise"},
      {{"compile", "m", "--localise", "on"}, {"compile", "m", "--bands", "auto"}, "--localise"},
      {{"compile", "m", "--io=arena"}, {"compile", "m", "--io=workspace"}, "--io=arena"},
      {{"compile", "m", "--ram", "1K"}, {"compile", "m", "--max-ram", "1K"}, "--ram"},
      {{"run", "m", "--plant=a:b"}, {"run", "m", "--inject=a:b"}, "--plant"},
      {{"check", "m", "--layers"}, {"check", "m", "--layer-errors"}, "--layers"},
      {{"bench", "m", "--against", "onnxruntime"},
       {"bench", "m", "--baseline", "onnxruntime"},
       "--against"},
      {{"bench", "m", "--samples=3"}, {"bench", "m", "--repetitions=3"}, "--samples"},
      {{"quantize", "m", "--weights", "4"}, {"quantize", "m", "--weight-bits", "4"}, "--weights"},
      {{"sweep", "m", "-opage.html"}, {"sweep", "m", "--report=page.html"}, "-o"},
      {{"records", "merge", "a", "-o", "b"}, {"records", "merge", "a", "--into", "b"}, "-o"},
      {{"records", "report", "--tuning", "t.db"}, {"records", "report", "t.db"}, "--tuning"},
      {{"records", "report", "--tuning=t.db"}, {"records", "report", "t.db"}, "--tuning"},
      {{"jobs", "list"}, {"service", "jobs", "list"}, "`convoy jobs`"},
      {{"devices", "list"}, {"service", "devices", "list"}, "`convoy devices`"},
      {{"report", "--tuning", "none.db"}, {"records", "report", "none.db"}, "`convoy report`"}};
  for (const Case &test : cases) {
    Words words = test.given;
    Words warnings = replaceOldNames(words);
    EXPECT_EQ(words, test.expected);
    ASSERT_FALSE(warnings.empty()) << test.warned;
    EXPECT_THAT(warnings.front(), StartsWith("warning: " + test.warned +
                                             " is deprecated and ends "
                                             "with version 0.4; write "));
  }
}

TEST_F(OldNamesTest, NamesOfTodayStay) {
  for (const Words &given : {Words{"check", "m", "--samples=3"}, Words{"bench", "m", "--layers"},
                             Words{"compile", "m", "--weights=file", "-o", "out", "--io=rows"},
                             Words{"compile", "m", "--bands=off", "--ramble"}, Words{}}) {
    Words words = given;
    EXPECT_EQ(replaceOldNames(words), Words());
    EXPECT_EQ(words, given);
  }
}

TEST_F(OldNamesTest, WarnOncePerName) {
  Words words = {"run", "m", "--plant=a", "--plant=b", "--inject-fault=c"};
  EXPECT_EQ(
      replaceOldNames(words),
      (Words{"warning: --plant is deprecated and ends with version 0.4; write --inject\n",
             "warning: --inject-fault is deprecated and ends with version 0.4; write --inject\n"}));
  EXPECT_EQ(words, (Words{"run", "m", "--inject=a", "--inject=b", "--inject=c"}));
}

TEST_F(OldNamesTest, WorkOnTheCommandLine) {
  std::string page = folder.file("page.html");
  EXPECT_EQ(convoy({"report", records(), "-o", page}), kDone) << err;
  EXPECT_EQ(err, "warning: `convoy report` is deprecated and ends with version 0.4; write `convoy "
                 "records report`\n"
                 "warning: -o is deprecated and ends with version 0.4; write --report\n");
  EXPECT_TRUE(llvm::sys::fs::exists(page));
  EXPECT_EQ(convoy({"run", relu(), "--input=random", "--plant=cse"}), kUserError);
  EXPECT_THAT(err, HasSubstr("error: --inject: expected AFTER_PASS:PLUGIN_PASS, got 'cse'\n"));
  EXPECT_EQ(convoy({"check", relu(), "--localise=on"}), kDone) << err;
}

// A file that is no file of records is for the report of a model.
TEST_F(OldNamesTest, AReportOfAModelIsNoReportOfRecords) {
  EXPECT_EQ(convoy({"report", relu()}), kUserError);
  EXPECT_THAT(err, StartsWith("error: unknown verb 'report'"));
}

TEST_F(OldNamesTest, HelpOfAVerb) {
  EXPECT_EQ(convoy({"help", "compile"}), kDone);
  std::string text = out;
  EXPECT_EQ(convoy({"compile", "--help"}), kDone);
  EXPECT_EQ(out, text);
  EXPECT_THAT(out, HasSubstr("\n`convoy compile --help-all` lists "));
  EXPECT_EQ(convoy({"help"}), kDone);
  text = out;
  EXPECT_EQ(convoy({"--help"}), kDone);
  EXPECT_EQ(out, text);
  EXPECT_EQ(convoy({"help", "records", "merge"}), kDone);
  EXPECT_THAT(out, HasSubstr("--into FILE"));
}

TEST_F(OldNamesTest, HelpHidesTheFlagsOfTests) {
  EXPECT_EQ(convoy({"run", "--help-all"}), kDone);
  for (const char *flag : {"--inject", "--plant", "--load-pass-plugin", "--localise", "[["}) {
    EXPECT_EQ(out.find(flag), std::string::npos) << flag;
  }
  EXPECT_EQ(convoy({"ops", "--help"}), kDone);
  EXPECT_EQ(out.find("[["), std::string::npos) << out;
}

} // namespace
