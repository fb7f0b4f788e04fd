// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps SQLite. Each error names the file, the cause and the remedy. This file does not depend
// on the format of records.

#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace convoy::tuning {

class Database;

/// A prepared statement. As in SQLite, parameters count from 1 and columns from 0.
class Statement {
public:
  Statement &bind(int index, llvm::StringRef text);
  Statement &bind(int index, int64_t number);

  /// Returns true if there is a row. After the last row, the statement can be bound and run
  /// again.
  llvm::Expected<bool> step();
  /// Runs a statement that returns no rows.
  llvm::Error run();

  /// Valid until the next step.
  llvm::StringRef text(int column) const;
  int64_t number(int column) const;

private:
  friend class Database;
  Statement(Database &database, sqlite3_stmt *statement);

  Database *database;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt *)> statement;
};

class Database {
public:
  enum class Access {
    Read,  // opens an existing file without changing a byte
    Write, // creates the file if it does not exist
  };
  /// The time limit for waiting for another writer.
  static constexpr int kBusyMs = 30000;

  static llvm::Expected<std::unique_ptr<Database>> open(llvm::StringRef path, Access access);

  llvm::Expected<Statement> prepare(llvm::StringRef sql);
  /// Runs statements that return no rows.
  llvm::Error execute(llvm::StringRef sql);
  /// Returns the first column of the only row.
  llvm::Expected<int64_t> number(llvm::StringRef sql);
  llvm::Expected<std::string> text(llvm::StringRef sql);
  /// Returns the number of rows that the last statement inserted or deleted.
  int64_t changedRows() const;

  const std::string &path() const { return file; }
  /// Returns an error with the path, "'tune.db': ...".
  llvm::Error error(const llvm::Twine &text) const;
  /// Returns SQLite's last error and its remedy.
  llvm::Error lastError() const;

private:
  Database(std::string path, sqlite3 *handle);
  static llvm::Expected<std::unique_ptr<Database>> openFile(llvm::StringRef path,
                                                            llvm::StringRef uri, int flags);

  std::string file;
  std::unique_ptr<sqlite3, int (*)(sqlite3 *)> handle;
};

/// Rolls back unless committed. Takes the write lock immediately, because a transaction that
/// reads first and writes later fails instead of waiting if another process has written in
/// between.
class Transaction {
public:
  static llvm::Expected<Transaction> begin(Database &database);
  Transaction(Transaction &&other) noexcept : database(std::exchange(other.database, nullptr)) {}
  Transaction &operator=(Transaction &&) = delete;
  ~Transaction();
  /// After success, the data is on the disk.
  llvm::Error commit();

private:
  explicit Transaction(Database &database) : database(&database) {}
  Database *database;
};

} // namespace convoy::tuning
