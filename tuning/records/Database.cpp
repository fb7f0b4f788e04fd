// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens databases, runs statements, and selects the remedy for each kind of failure.

#include "Database.h"
#include "Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <sqlite3.h>

namespace convoy::tuning {
namespace {

/// Returns the cause of a failure and its remedy.
std::string remedy(int code, llvm::StringRef path) {
  switch (code & 0xff) {
  case SQLITE_FULL:
    return "the disk is full; nothing of this step was stored, and older records are intact; "
           "free some space and continue";
  case SQLITE_IOERR:
    return "the file cannot be read or written; nothing of this step was stored; check for a full "
           "disk, a limit on file sizes (ulimit -f) or a failing device";
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return "another process has been writing for " + std::to_string(Database::kBusyMs / 1000) +
           " s; wait until it has finished, or end it";
  case SQLITE_CORRUPT:
    return ("the file is damaged; recover the remaining records with `sqlite3 " + path +
            " .recover | sqlite3 new.db`, or remove the file and tune again")
        .str();
  case SQLITE_NOTADB:
    return "the file does not contain tuning records; create such a file with `convoy tune "
           "--records` or "
           "`convoy records import`";
  case SQLITE_READONLY:
  case SQLITE_PERM:
  case SQLITE_CANTOPEN:
    return "the file or its folder cannot be read or written; check the path and its "
           "permissions";
  default:
    return "SQLite code " + std::to_string(code);
  }
}

std::string percentEncoded(llvm::StringRef path) {
  std::string text;
  for (char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      text += '%';
      text += llvm::toHex(llvm::StringRef(&c, 1));
    } else {
      text += c;
    }
  }
  return text;
}

bool hasLog(llvm::StringRef path) {
  uint64_t bytes = 0;
  return !llvm::sys::fs::file_size(path + "-wal", bytes) && bytes > 0;
}

/// Protects against the content of a file of another user. Its views and triggers could compute
/// without end. The triggers of Convoy refuse updates of other programs; Convoy updates no row.
void defend(sqlite3 *handle) {
  for (int option : {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER}) {
    sqlite3_db_config(handle, option, 0, nullptr);
  }
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  constexpr int kMostBytes = 16 << 20; // of a row; the task of a row has at most 1 MiB
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMostBytes);
}

} // namespace

Statement::Statement(Database &database, sqlite3_stmt *statement)
    : database(&database), statement(statement, sqlite3_finalize) {}

// Binding fails only for a wrong index, which every test of the statement detects.
Statement &Statement::bind(int index, llvm::StringRef text) {
  sqlite3_bind_text64(statement.get(), index, text.data() ? text.data() : "", text.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement &Statement::bind(int index, int64_t number) {
  sqlite3_bind_int64(statement.get(), index, number);
  return *this;
}

llvm::Expected<bool> Statement::step() {
  int code = sqlite3_step(statement.get());
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement.get());
    return false;
  }
  llvm::Error error = database->lastError();
  sqlite3_reset(statement.get());
  return error;
}

llvm::Error Statement::run() { return step().takeError(); }

llvm::StringRef Statement::text(int column) const {
  const unsigned char *bytes = sqlite3_column_text(statement.get(), column);
  return {reinterpret_cast<const char *>(bytes),
          static_cast<size_t>(sqlite3_column_bytes(statement.get(), column))};
}

int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement.get(), column);
}

Database::Database(std::string path, sqlite3 *handle)
    : file(std::move(path)), handle(handle, sqlite3_close) {}

llvm::Expected<std::unique_ptr<Database>> Database::openFile(llvm::StringRef path,
                                                             llvm::StringRef uri, int flags) {
  sqlite3 *handle = nullptr;
  int code = sqlite3_open_v2(uri.str().c_str(), &handle, flags | SQLITE_OPEN_URI, nullptr);
  std::unique_ptr<Database> database(new Database(path.str(), handle));
  if (code != SQLITE_OK) {
    return database->error(remedy(code, path));
  }
  sqlite3_extended_result_codes(handle, 1);
  defend(handle);
  sqlite3_busy_timeout(handle, kBusyMs);
  return database;
}

llvm::Expected<std::unique_ptr<Database>> Database::open(llvm::StringRef path, Access access) {
  std::string uri = "file:" + percentEncoded(path);
  if (access == Access::Write) {
    if (llvm::Error error = createParentFolder(path)) {
      return error;
    }
    return openFile(path, uri, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  }
  if (!llvm::sys::fs::exists(path)) {
    return llvm::createStringError("'" + path + "': the file does not exist");
  }
  auto database = openFile(path, uri, SQLITE_OPEN_READONLY);
  if (!database) {
    return database;
  }
  // A reader creates a small file beside the database. If the reader has no permission to do
  // so, a database without a log can still be read.
  llvm::Expected<int64_t> pages = (*database)->number("SELECT count(*) FROM sqlite_schema");
  if (pages || hasLog(path)) {
    llvm::consumeError(pages.takeError());
    return database;
  }
  llvm::consumeError(pages.takeError());
  return openFile(path, uri + "?immutable=1", SQLITE_OPEN_READONLY);
}

llvm::Expected<Statement> Database::prepare(llvm::StringRef sql) {
  sqlite3_stmt *statement = nullptr;
  int code = sqlite3_prepare_v2(handle.get(), sql.data(), static_cast<int>(sql.size()), &statement,
                                nullptr);
  if (code != SQLITE_OK) {
    return lastError();
  }
  return Statement(*this, statement);
}

llvm::Error Database::execute(llvm::StringRef sql) {
  int code = sqlite3_exec(handle.get(), sql.str().c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? llvm::Error::success() : lastError();
}

llvm::Expected<int64_t> Database::number(llvm::StringRef sql) {
  llvm::Expected<Statement> statement = prepare(sql);
  if (!statement) {
    return statement.takeError();
  }
  llvm::Expected<bool> hasRow = statement->step();
  if (!hasRow) {
    return hasRow.takeError();
  }
  return statement->number(0);
}

llvm::Expected<std::string> Database::text(llvm::StringRef sql) {
  llvm::Expected<Statement> statement = prepare(sql);
  if (!statement) {
    return statement.takeError();
  }
  llvm::Expected<bool> hasRow = statement->step();
  if (!hasRow) {
    return hasRow.takeError();
  }
  return statement->text(0).str();
}

int64_t Database::changedRows() const { return sqlite3_changes64(handle.get()); }

llvm::Error Database::error(const llvm::Twine &text) const {
  return llvm::createStringError("'" + file + "': " + text);
}

llvm::Error Database::lastError() const {
  int code = sqlite3_extended_errcode(handle.get());
  return error(remedy(code, file) + " (" + sqlite3_errmsg(handle.get()) + ")");
}

llvm::Expected<Transaction> Transaction::begin(Database &database) {
  if (llvm::Error error = database.execute("BEGIN IMMEDIATE")) {
    return error;
  }
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database) {
    // After a full disk, SQLite may have rolled back already.
    llvm::consumeError(database->execute("ROLLBACK"));
  }
}

llvm::Error Transaction::commit() {
  if (llvm::Error error = database->execute("COMMIT")) {
    return error;
  }
  database = nullptr;
  return llvm::Error::success();
}

} // namespace convoy::tuning
