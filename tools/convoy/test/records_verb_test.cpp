// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests `convoy records` on the command line. tuning/records/test tests the effect on files.

#include "tools/convoy/test/DriverCase.h"
#include "tuning/records/JsonLines.h"
#include "tuning/records/test/SampleRecord.h"
#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::tool;

namespace {

struct RecordsVerbTest : tool::test::DriverCase {
  /// Writes a file with the trials of these numbers.
  std::string recordsFile(const std::string &name, std::vector<int> numbers) {
    std::string path = folder.file(name);
    std::vector<tuning::Record> records;
    for (int number : numbers) {
      records.push_back(tuning::sampleRecord(number, 1000 + number));
    }
    auto store = llvm::cantFail(tuning::RecordStore::open(path, tuning::Database::Access::Write));
    llvm::cantFail(store.append(records));
    return path;
  }

  llvm::json::Value json() { return llvm::cantFail(llvm::json::parse(out)); }
};

TEST_F(RecordsVerbTest, NeedsAVerbOfItsOwn) {
  EXPECT_EQ(convoy({"records"}), kUserError);
  EXPECT_EQ(err,
            "error: `convoy records` expects a verb: list, merge, export, import, prune, report\n"
            "see `convoy records --help`\n");
}

TEST_F(RecordsVerbTest, MergesAndLists) {
  std::string a = recordsFile("a.db", {1, 2}), b = recordsFile("b.db", {2, 3});
  std::string all = folder.file("all.db");
  EXPECT_EQ(convoy({"records", "merge", a, b, "--into", all}), kDone) << err;
  EXPECT_EQ(out, a + ": 2 records added to " + all + ", 0 already there\n" + b +
                     ": 1 records added to " + all + ", 1 already there\n");
  EXPECT_EQ(convoy({"records", "list", all}), kDone) << err;
  EXPECT_NE(out.find("all.db: 3 records, hash "), std::string::npos) << out;
  EXPECT_NE(out.find("conv_direct v2"), std::string::npos) << out;
  EXPECT_NE(out.find("1.001 us  #kernel.conv_direct<1>"), std::string::npos) << out;
}

TEST_F(RecordsVerbTest, ExportsAndImports) {
  std::string a = recordsFile("a.db", {1, 2}), b = folder.file("b.db");
  EXPECT_EQ(convoy({"records", "export", a}), kDone) << err;
  std::string lines = folder.write("a.jsonl", out), before = out;
  EXPECT_EQ(convoy({"records", "import", lines, "--into", b, "--json"}), kDone) << err;
  EXPECT_EQ(json().getAsObject()->getArray("files")->front().getAsObject()->getInteger("added"), 2);
  EXPECT_EQ(convoy({"records", "export", b}), kDone) << err;
  EXPECT_EQ(out, before);
  EXPECT_EQ(convoy({"records", "list", a, b, "--json"}), kDone) << err;
  llvm::json::Value files = json();
  EXPECT_EQ(files.getAsArray()->front().getAsObject()->getString("hash"),
            files.getAsArray()->back().getAsObject()->getString("hash"));
}

TEST_F(RecordsVerbTest, EveryVerbWritesJsonAndIsQuiet) {
  std::string a = recordsFile("a.db", {1, 2}), lines = folder.file("a.jsonl");
  std::string file = folder.file("result.json");
  for (const std::vector<std::string> &arguments :
       {std::vector<std::string>{"records", "list", a},
        {"records", "export", a},
        {"records", "export", a, "--into", lines},
        {"records", "import", lines, "--into", folder.file("b.db")},
        {"records", "merge", a, "--into", folder.file("c.db")},
        {"records", "prune", a, "--older-than=7d", "--dry-run"}}) {
    SCOPED_TRACE(arguments[1]);
    std::vector<std::string> command = arguments;
    command.insert(command.begin() + 2, "--json=" + file);
    EXPECT_EQ(convoy(command), kDone) << err;
    EXPECT_NE(out, "");
    EXPECT_TRUE(llvm::sys::fs::exists(file));
    [[maybe_unused]] std::error_code error = llvm::sys::fs::remove(file);
    command[2] = "--quiet";
    EXPECT_EQ(convoy(command), kDone) << err;
    bool isResult = arguments[1] == "list" || arguments.size() == 3;
    EXPECT_EQ(out.empty(), !isResult) << out;
  }
}

TEST_F(RecordsVerbTest, Prunes) {
  std::string a = recordsFile("a.db", {1, 2, 3});
  EXPECT_EQ(convoy({"records", "prune", a}), kUserError);
  EXPECT_EQ(err, "error: `convoy records prune` expects a rule: --older-than DURATION, --stale, "
                 "--failed or --keep N\n");
  EXPECT_EQ(convoy({"records", "prune", a, "--keep", "1", "--dry-run"}), kDone) << err;
  EXPECT_EQ(out, a + ": 2 records would be removed\n");
  EXPECT_EQ(convoy({"records", "prune", a, "--keep", "1"}), kDone) << err;
  EXPECT_EQ(out, a + ": 2 records removed\n");
  EXPECT_EQ(convoy({"records", "prune", a, "--older-than", "1"}), kDone) << err;
  EXPECT_EQ(out, a + ": 1 records removed\n");
}

TEST_F(RecordsVerbTest, AWrongNameChangesNothing) {
  std::string a = recordsFile("a.db", {1}), none = folder.file("none.db");
  EXPECT_EQ(convoy({"records", "merge", a, none, "--into", folder.file("all.db")}), kUserError);
  EXPECT_EQ(err, "error: '" + none + "': the file does not exist\n");
  EXPECT_FALSE(llvm::sys::fs::exists(folder.file("all.db")));
  EXPECT_EQ(convoy({"records", "prune", none, "--failed"}), kUserError);
  EXPECT_FALSE(llvm::sys::fs::exists(none));
}

} // namespace
