// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for tests of records: a temporary folder, and values without their errors.

#pragma once

#include "SampleRecord.h"
#include "Support/test/TestFolder.h"
#include "tuning/records/JsonLines.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

namespace convoy::tuning {

/// Returns the value, or ends the test with the error's text.
template <typename T>
T get(llvm::Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    llvm::report_fatal_error("the test cannot go on");
  }
  return std::move(*value);
}

/// Changes a database as a program other than Convoy does, whose connection runs the triggers.
/// Returns the error.
inline std::string errorOfOtherProgram(const std::string &path, const char *sql) {
  sqlite3 *handle = nullptr;
  char *message = nullptr;
  std::string error;
  if (sqlite3_open(path.c_str(), &handle) != SQLITE_OK ||
      sqlite3_exec(handle, sql, nullptr, nullptr, &message) != SQLITE_OK) {
    error = message ? message : "cannot open the database";
  }
  sqlite3_free(message);
  sqlite3_close(handle);
  return error;
}

/// Returns the text of an error, or an empty text.
template <typename T>
std::string errorOf(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

class RecordCase : public testing::Test {
protected:
  std::string file(llvm::StringRef name) const { return folder.file(name); }
  static RecordStore openToWrite(llvm::StringRef path) {
    return get(RecordStore::open(path, RecordStore::Access::Write));
  }
  static RecordStore openToRead(llvm::StringRef path) {
    return get(RecordStore::open(path, RecordStore::Access::Read));
  }
  static std::string exported(RecordStore &store) {
    std::string text;
    llvm::raw_string_ostream os(text);
    get(exportLines(store, os));
    return os.str();
  }
  static std::vector<std::string> trialsIn(RecordStore &store) {
    std::vector<std::string> trials;
    EXPECT_FALSE(llvm::errorToBool(store.forEach([&](Record &&record) {
      trials.push_back(record.trial);
      return llvm::Error::success();
    })));
    return trials;
  }

  convoy::test::TemporaryFolder folder;
};

} // namespace convoy::tuning
