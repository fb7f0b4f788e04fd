// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// application_id identifies a file of records, and user_version is the version of its tables.
// Both are checked before a byte is changed, so a database of another program stays intact.

#include "Schema.h"
#include <chrono>
#include <thread>

namespace convoy::tuning {
namespace {

// "CVYT" as a number, which `file` and sqlite3 display.
constexpr int64_t kApplicationId = 0x43565954;

constexpr const char *kTables = R"sql(
PRAGMA application_id = 1129732436;
CREATE TABLE task (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 64),
  text TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE trial (
  id TEXT PRIMARY KEY,
  task TEXT NOT NULL REFERENCES task (hash),
  target TEXT NOT NULL,
  template TEXT NOT NULL,
  version INTEGER NOT NULL,
  policy TEXT NOT NULL,
  configuration TEXT NOT NULL,
  input_layout TEXT NOT NULL,
  output_layout TEXT NOT NULL,
  outcome TEXT NOT NULL
    CHECK (outcome IN ('ok', 'build-error', 'crash', 'time-out', 'wrong-result')),
  message TEXT NOT NULL,
  samples TEXT NOT NULL CHECK (json_valid(samples)),
  sentinel_ns INTEGER NOT NULL,
  compiler TEXT NOT NULL,
  artefact TEXT NOT NULL,
  unix_us INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX trial_by_key ON trial (task, target, template, version, policy);
CREATE TRIGGER trial_is_append_only BEFORE UPDATE ON trial
BEGIN SELECT RAISE(ABORT, 'records are append-only'); END;
CREATE TRIGGER task_is_append_only BEFORE UPDATE ON task
BEGIN SELECT RAISE(ABORT, 'records are append-only'); END;
)sql";

/// Migrates from version 1 to 2. A new file runs all steps.
constexpr const char *kVerdictTable = R"sql(
CREATE TABLE verdict (
  id TEXT PRIMARY KEY,
  network TEXT NOT NULL,
  target TEXT NOT NULL,
  templates TEXT NOT NULL,
  policy TEXT NOT NULL,
  choice TEXT NOT NULL CHECK (choice IN ('tuned', 'default')),
  passed_over TEXT NOT NULL CHECK (json_valid(passed_over)),
  samples TEXT NOT NULL CHECK (json_valid(samples)),
  compiler TEXT NOT NULL,
  unix_us INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER verdict_is_append_only BEFORE UPDATE ON verdict
BEGIN SELECT RAISE(ABORT, 'records are append-only'); END;
PRAGMA user_version = 2;
)sql";
static_assert(kApplicationId == 1129732436 && kSchemaVersion == 2,
              "the SQL text above contains the same numbers");

struct Header {
  int64_t applicationId = 0, version = 0, tables = 0;
  bool isNew() const { return version == 0 && tables == 0; }
};

/// Reads all three values in one statement, so that they are consistent. Another process may
/// be creating the tables at the same time.
llvm::Expected<Header> readHeader(Database &database) {
  llvm::Expected<Statement> statement =
      database.prepare("SELECT (SELECT application_id FROM pragma_application_id), "
                       "(SELECT user_version FROM pragma_user_version), "
                       "(SELECT count(*) FROM sqlite_schema)");
  if (!statement) {
    return statement.takeError();
  }
  llvm::Expected<bool> row = statement->step();
  if (!row) {
    return row.takeError();
  }
  return Header{statement->number(0), statement->number(1), statement->number(2)};
}

llvm::Error checkHeader(Database &database, const Header &header) {
  if (header.applicationId != kApplicationId) {
    return database.error("this is a database of another program, not of tuning records; use "
                          "a different file");
  }
  if (header.version > kSchemaVersion) {
    return database.error(
        "its tables have version " + llvm::Twine(header.version) +
        ", but this convoy reads versions up to " + llvm::Twine(kSchemaVersion) +
        "; use the convoy that wrote it, or export the records with it (`convoy records export`)");
  }
  return llvm::Error::success();
}

/// Detects a truncated file at once, before a missing page is read.
llvm::Error checkPages(Database &database) {
  llvm::Expected<std::string> verdict = database.text("PRAGMA quick_check(1)");
  if (!verdict) {
    return verdict.takeError();
  }
  if (*verdict == "ok") {
    return llvm::Error::success();
  }
  return database.error("the file is damaged (" + *verdict +
                        "); recover the remaining records with `sqlite3 " + database.path() +
                        " .recover | sqlite3 new.db`, or remove the file and tune again");
}

/// Switches to a write-ahead log. Two processes may create the file at the same time. SQLite
/// does not wait for the lock that this change needs, so this function waits.
llvm::Error switchToLog(Database &database) {
  using namespace std::chrono;
  auto end = steady_clock::now() + milliseconds(Database::kBusyMs);
  while (true) {
    llvm::Expected<std::string> mode = database.text("PRAGMA journal_mode = WAL");
    if (mode && *mode == "wal") {
      return llvm::Error::success();
    }
    llvm::Error error =
        mode ? database.error(
                   "this file system does not support SQLite's write-ahead log; use a local folder")
             : mode.takeError();
    if (mode || steady_clock::now() > end) {
      return error;
    }
    llvm::consumeError(std::move(error));
    std::this_thread::sleep_for(milliseconds(5));
  }
}

/// Creates the missing tables: all tables of a new file, or the tables that a newer version
/// added.
llvm::Error makeTables(Database &database) {
  llvm::Expected<Transaction> transaction = Transaction::begin(database);
  if (!transaction) {
    return transaction.takeError();
  }
  // Another process may have created the tables.
  llvm::Expected<Header> header = readHeader(database);
  if (!header) {
    return header.takeError();
  }
  if (header->isNew()) {
    if (llvm::Error error = database.execute(kTables)) {
      return error;
    }
  }
  if (header->version < 2) {
    if (llvm::Error error = database.execute(kVerdictTable)) {
      return error;
    }
  }
  return transaction->commit();
}

} // namespace

llvm::Error checkReadable(Database &database) {
  llvm::Expected<Header> header = readHeader(database);
  if (!header) {
    return header.takeError();
  }
  if (header->isNew() && header->applicationId == 0) {
    return database.error(
        "the file does not contain tuning records; create such a file with `convoy tune "
        "--records` or `convoy records import`");
  }
  if (llvm::Error error = checkHeader(database, *header)) {
    return error;
  }
  return checkPages(database);
}

llvm::Error prepareForWriting(Database &database) {
  llvm::Expected<Header> header = readHeader(database);
  if (!header) {
    return header.takeError();
  }
  if (!header->isNew()) {
    if (llvm::Error error = checkHeader(database, *header)) {
      return error;
    }
  }
  if (llvm::Error error = switchToLog(database)) {
    return error;
  }
  // With FULL, a committed record survives a loss of power.
  if (llvm::Error error = database.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")) {
    return error;
  }
  // Refuses a damaged file before changing it.
  if (!header->isNew()) {
    if (llvm::Error error = checkPages(database)) {
      return error;
    }
  }
  return header->version < kSchemaVersion ? makeTables(database) : llvm::Error::success();
}

} // namespace convoy::tuning
