// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that damaged and foreign files are rejected with a remedy and are never changed.

#include "RecordCase.h"
#include "tuning/records/Snapshot.h"
#include <fstream>

namespace convoy::tuning {
namespace {

using testing::HasSubstr;

class DamageTest : public RecordCase {
protected:
  void SetUp() override {
    RecordCase::SetUp();
    path = file("a.db");
    RecordStore store = openToWrite(path);
    std::vector<Record> records;
    for (int i = 0; i < 400; ++i) {
      records.push_back(sampleRecord(i));
    }
    get(store.append(records));
  }

  void expectRefused(llvm::StringRef text) const {
    EXPECT_THAT(errorOf(Snapshot::read(path, {})), HasSubstr(text.str()));
    EXPECT_THAT(errorOf(RecordStore::open(path, RecordStore::Access::Write)),
                HasSubstr(text.str()));
  }
  void overwrite(llvm::StringRef bytes) const {
    std::ofstream(path, std::ios::binary) << bytes.str();
  }

  std::string path;
};

TEST_F(DamageTest, Truncated) {
  uint64_t bytes = 0;
  ASSERT_FALSE(llvm::sys::fs::file_size(path, bytes));
  for (uint64_t keep : {bytes - 4096, bytes / 2, uint64_t(8192), uint64_t(5000)}) {
    ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(keep)), 0);
    expectRefused("the file is damaged");
  }
  expectRefused(".recover");
}

TEST_F(DamageTest, BytesChanged) {
  std::fstream stream(path, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekp(3 * 4096);
  stream << std::string(2000, '\x5a');
  stream.close();
  expectRefused("the file is damaged");
}

TEST_F(DamageTest, NoDatabase) {
  overwrite("{\"convoy-records\":1}\n" + std::string(2000, ' '));
  expectRefused("the file does not contain tuning records");
}

TEST_F(DamageTest, AnotherProgramsDatabase) {
  ASSERT_FALSE(llvm::sys::fs::remove(path));
  {
    auto database = get(Database::open(path, Database::Access::Write));
    ASSERT_FALSE(llvm::errorToBool(database->execute("CREATE TABLE song (title TEXT)")));
  }
  expectRefused("a database of another program");
  auto database = get(Database::open(path, Database::Access::Read));
  EXPECT_EQ(get(database->text("PRAGMA journal_mode")), "delete"); // unchanged
}

TEST_F(DamageTest, NewerSchema) {
  {
    auto database = get(Database::open(path, Database::Access::Write));
    ASSERT_FALSE(llvm::errorToBool(database->execute("PRAGMA user_version = 7")));
  }
  expectRefused("its tables have version 7, but this convoy reads versions up to 2; use the convoy "
                "that wrote "
                "it");
}

TEST_F(DamageTest, EmptyFileIsNothingToReadAndCanBeWritten) {
  overwrite("");
  EXPECT_THAT(errorOf(Snapshot::read(path, {})),
              HasSubstr("the file does not contain tuning records"));
  RecordStore store = openToWrite(path);
  EXPECT_EQ(get(store.append({sampleRecord(1)})).added, 1);
}

TEST_F(DamageTest, NoSuchFile) {
  EXPECT_THAT(errorOf(Snapshot::read(file("b.db"), {})), HasSubstr("the file does not exist"));
  EXPECT_FALSE(llvm::sys::fs::exists(file("b.db")));
  EXPECT_THAT(errorOf(RecordStore::open("/proc/none/b.db", RecordStore::Access::Write)),
              HasSubstr("/proc/none"));
}

} // namespace
} // namespace convoy::tuning
