// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SQLite with our error texts: what went wrong, with which file, what to do. Knows
// nothing of records.

#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace convoy::tuning {

class Database;

/// A prepared statement. Parameters count from 1, columns from 0, as in SQLite.
class Statement {
public:
  Statement &bind(int index, llvm::StringRef text);
  Statement &bind(int index, int64_t number);

  /// True when there is a row. After the last one the statement is ready to be bound
  /// and run again.
  llvm::Expected<bool> step();
  /// Runs a statement without rows.
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
    Read,  // what exists, without changing a byte
    Write, // made when it does not exist
  };
  /// How long to wait for another writer.
  static constexpr int kBusyMs = 30000;

  static llvm::Expected<std::unique_ptr<Database>> open(llvm::StringRef path, Access access);

  llvm::Expected<Statement> prepare(llvm::StringRef sql);
  /// Runs statements that give no rows.
  llvm::Error execute(llvm::StringRef sql);
  /// The first column of the only row.
  llvm::Expected<int64_t> number(llvm::StringRef sql);
  llvm::Expected<std::string> text(llvm::StringRef sql);
  /// Rows that the last statement inserted or deleted.
  int64_t changedRows() const;

  const std::string &path() const { return file; }
  /// "'tune.db': ...".
  llvm::Error error(const llvm::Twine &text) const;
  /// What SQLite says about its last failure, and the remedy.
  llvm::Error lastError() const;

private:
  Database(std::string path, sqlite3 *handle);
  static llvm::Expected<std::unique_ptr<Database>> openFile(llvm::StringRef path,
                                                            llvm::StringRef uri, int flags);

  std::string file;
  std::unique_ptr<sqlite3, int (*)(sqlite3 *)> handle;
};

/// Rolls back unless committed. Takes the write lock at once: a transaction that reads
/// first and writes later would fail, not wait, when another has written in between.
class Transaction {
public:
  static llvm::Expected<Transaction> begin(Database &database);
  Transaction(Transaction &&other) noexcept : database(std::exchange(other.database, nullptr)) {}
  Transaction &operator=(Transaction &&) = delete;
  ~Transaction();
  /// What was written is on the disk when this returns success.
  llvm::Error commit();

private:
  explicit Transaction(Database &database) : database(&database) {}
  Database *database;
};

} // namespace convoy::tuning
