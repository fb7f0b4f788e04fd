// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A connection to PostgreSQL that is replaced when it breaks, and transactions on it. Exceptions of
// libpqxx end here. Only the sources of the store include this header.

#pragma once

#include "service/store/StoreError.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <pqxx/pqxx>

namespace convoy::service::store {

/// Returns the connection string with the settings that the store needs: keepalives of both sides
/// that notice a partition within 4 s, and time limits of the server. If a certificate is
/// configured, the server's certificate is verified with its name; a weaker sslmode is an error.
llvm::Expected<std::string> completeConnection(llvm::StringRef connection);

class Session;

/// A transaction in progress. The functions throw exceptions of libpqxx.
class Transaction {
public:
  /// Runs a statement, which the connection prepares once. `sql` must be a constant: its
  /// address identifies the statement.
  template <typename... Args>
  pqxx::result run(const char *sql, Args &&...args) {
    return work.exec_prepared(statement(sql), std::forward<Args>(args)...);
  }
  /// Runs one or more statements without parameters.
  pqxx::result script(const std::string &sql) { return work.exec(sql); }

  /// From now on, the transaction may have written. If the connection breaks, only the caller of
  /// the store may repeat it.
  void noteWrite() { mayHaveWritten = true; }

private:
  friend class Session;
  Transaction(Session &session, pqxx::work &work) : session(session), work(work) {}
  const std::string &statement(const char *sql);

  Session &session;
  pqxx::work &work;
  bool mayHaveWritten = false;
};

class Session {
public:
  using Body = llvm::function_ref<llvm::Error(Transaction &)>;

  Session(std::string connection, double reconnectSeconds)
      : connection(std::move(connection)), reconnectSeconds(reconnectSeconds) {}

  /// Connects if there is no connection, with back-off.
  llvm::Error connect();
  void disconnect();
  bool isConnected() const { return link != nullptr; }

  /// Whether a transaction that has written nothing runs again on a new connection.
  enum class AfterBreak { Repeat, Fail };

  /// Runs the body in a transaction and commits. If the body returns an error, the transaction
  /// writes nothing. If the connection breaks before noteWrite(), or the server asks for it, the
  /// body runs again. `what` completes "cannot ...".
  llvm::Error transact(llvm::StringRef what, Body body, AfterBreak afterBreak = AfterBreak::Repeat);

private:
  friend class Transaction;
  struct Failure {
    StoreError::Kind kind;
    std::string text;
    bool isWorthRetry = false;
  };
  llvm::Error attempt(llvm::StringRef what, Body body, bool &isWorthRetry);
  Failure failureOf(const std::exception &error, bool mayHaveWritten);

  std::string connection;
  double reconnectSeconds;
  std::unique_ptr<pqxx::connection> link;
  std::map<const char *, std::string> statements; // prepared in `link`
};

} // namespace convoy::service::store
