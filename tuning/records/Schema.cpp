// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file says by application_id that it is ours and by user_version how old. It is
// looked at before a byte is changed: somebody else's database stays as it is.

#include "Schema.h"
#include <chrono>
#include <thread>

namespace convoy::tuning {
namespace {

// "CVYT", as a number that `file` and sqlite3 show.
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

/// From version 1 to 2; a new file takes all steps.
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
              "the text above says the same numbers");

struct Header {
  int64_t applicationId = 0, version = 0, tables = 0;
  bool isNew() const { return version == 0 && tables == 0; }
};

/// All three in one statement, so that they are of one moment: another process may be making
/// the tables just now.
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
    return database.error("this is a database of another program, not one of tuning records; name "
                          "another file");
  }
  if (header.version > kSchemaVersion) {
    return database.error(
        "its tables have version " + llvm::Twine(header.version) + ", this convoy knows up to " +
        llvm::Twine(kSchemaVersion) +
        "; use the convoy that wrote it, or write another file with its `convoy records export`");
  }
  return llvm::Error::success();
}

/// Notices a truncated file now, not when the missing page happens to be read.
llvm::Error checkPages(Database &database) {
  llvm::Expected<std::string> verdict = database.text("PRAGMA quick_check(1)");
  if (!verdict) {
    return verdict.takeError();
  }
  if (*verdict == "ok") {
    return llvm::Error::success();
  }
  return database.error("the file is damaged (" + *verdict + "); save what is left with `sqlite3 " +
                        database.path() +
                        " .recover | sqlite3 new.db`, or remove it and tune again");
}

/// Two processes may make the file at the same moment. SQLite does not wait for the
/// lock that this change needs, so we do.
llvm::Error switchToLog(Database &database) {
  using namespace std::chrono;
  auto end = steady_clock::now() + milliseconds(Database::kBusyMs);
  while (true) {
    llvm::Expected<std::string> mode = database.text("PRAGMA journal_mode = WAL");
    if (mode && *mode == "wal") {
      return llvm::Error::success();
    }
    llvm::Error error =
        mode ? database.error("this file system allows no write-ahead log; use a local folder")
             : mode.takeError();
    if (mode || steady_clock::now() > end) {
      return error;
    }
    llvm::consumeError(std::move(error));
    std::this_thread::sleep_for(milliseconds(5));
  }
}

/// Of a new file all, of an older one those that came later.
llvm::Error makeTables(Database &database) {
  llvm::Expected<Transaction> transaction = Transaction::begin(database);
  if (!transaction) {
    return transaction.takeError();
  }
  // Another process may have been first.
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
    return database.error("this file holds no tuning records; they are made by `convoy tune "
                          "--records` and `convoy records import`");
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
  // Full: a committed record also survives a loss of power.
  if (llvm::Error error = database.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")) {
    return error;
  }
  // A damaged file is refused before it is changed.
  if (!header->isNew()) {
    if (llvm::Error error = checkPages(database)) {
      return error;
    }
  }
  return header->version < kSchemaVersion ? makeTables(database) : llvm::Error::success();
}

} // namespace convoy::tuning
