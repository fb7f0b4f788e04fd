// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libpqxx 6 would replace a broken connection silently. A silent replacement would lose session
// locks, so this file drops a broken connection and opens a new one itself.

#include "Session.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <chrono>
#include <libpq-fe.h>
#include <thread>

namespace convoy::service::store {
namespace {

// The server's side: a session whose client is cut off ends within 4 s, with its locks. A
// transaction whose client hangs must not block a new leader.
constexpr char kServerOptions[] =
    "-c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3 "
    "-c tcp_user_timeout=4000 -c client_connection_check_interval=2000 "
    "-c idle_in_transaction_session_timeout=5000 -c statement_timeout=30000 -c lock_timeout=10000";

// Transactions repeat after a deadlock or a broken connection; each needs one or two attempts.
constexpr int kMaxAttempts = 5;

std::string quoted(llvm::StringRef value) {
  std::string result = "'";
  for (char c : value) {
    if (c == '\'' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + "'";
}

/// Returns the first line of a message of PostgreSQL, without its severity.
std::string firstLine(llvm::StringRef text) {
  llvm::StringRef line = text.trim().split('\n').first.trim();
  line.consume_front("ERROR:");
  line.consume_front("FATAL:");
  return line.trim().str();
}

/// Returns whether an SQL state says that the server ends or refuses sessions: shutdown, crash of
/// another session, start, too many clients.
bool isUnavailable(llvm::StringRef state) {
  return state.starts_with("57P") || state.starts_with("08") || state == "53300" ||
         state == "25P03";
}

/// Returns whether an SQL state says that the server could not do its work now: a time limit, a
/// lock, an error of the disk, a server that only reads.
bool isTransient(llvm::StringRef state) {
  return state == "57014" || state == "55P03" || state == "25006" || state.starts_with("58");
}

/// Returns the value of a parameter; empty if it is not set.
llvm::StringRef valueOf(const PQconninfoOption *options, llvm::StringRef keyword) {
  for (; options && options->keyword; ++options) {
    if (keyword == options->keyword && options->val) {
      return options->val;
    }
  }
  return "";
}

constexpr char kVerifyFull[] = "verify-full";

/// Returns the mode of TLS that the connection needs; empty: that of libpq. Without a check of the
/// server's name, any server with a certificate of the authority could read the password and the
/// jobs.
llvm::Expected<std::string> tlsModeOf(const PQconninfoOption *given) {
  PQconninfoOption *defaults = PQconndefaults(); // with libpq's environment
  auto release = llvm::make_scope_exit([&] { PQconninfoFree(defaults); });
  auto either = [&](llvm::StringRef keyword) {
    llvm::StringRef value = valueOf(given, keyword);
    return value.empty() ? valueOf(defaults, keyword) : value;
  };
  bool hasCertificate = !either("sslcert").empty() || !either("sslrootcert").empty();
  llvm::StringRef mode = either("sslmode");
  if (!hasCertificate || mode == kVerifyFull) {
    return "";
  }
  if (!valueOf(given, "sslmode").empty() || (mode != "prefer" && !mode.empty())) {
    return llvm::make_error<StoreError>(
        StoreError::Kind::Invalid,
        "the connection to PostgreSQL has a certificate (sslcert or sslrootcert) and sslmode=" +
            mode.str() + "; expected sslmode=verify-full; remove sslmode");
  }
  return kVerifyFull;
}

} // namespace

llvm::Expected<std::string> completeConnection(llvm::StringRef connection) {
  char *message = nullptr;
  PQconninfoOption *options = PQconninfoParse(connection.str().c_str(), &message);
  auto release = llvm::make_scope_exit([&] {
    PQconninfoFree(options);
    PQfreemem(message);
  });
  if (!options) {
    return llvm::make_error<StoreError>(
        StoreError::Kind::Invalid, "cannot read the connection string of PostgreSQL: " +
                                       firstLine(message ? message : "out of memory") +
                                       "; expected 'host=... dbname=...' or 'postgresql://...'");
  }
  llvm::Expected<std::string> tlsMode = tlsModeOf(options);
  if (!tlsMode) {
    return tlsMode.takeError();
  }
  // The last value of a key counts: the caller may change ours.
  std::string result = "application_name=convoy-tuningd connect_timeout=3 keepalives=1 "
                       "keepalives_idle=1 keepalives_interval=1 keepalives_count=3 "
                       "tcp_user_timeout=4000 options=" +
                       quoted(kServerOptions);
  if (!tlsMode->empty()) {
    result += " sslmode=" + *tlsMode;
  }
  for (PQconninfoOption *option = options; option->keyword; ++option) {
    if (option->val) {
      result += std::string(" ") + option->keyword + "=" + quoted(option->val);
    }
  }
  return result;
}

const std::string &Transaction::statement(const char *sql) {
  auto [place, isNew] = session.statements.try_emplace(sql);
  if (isNew) {
    place->second = "s" + std::to_string(session.statements.size());
    session.link->prepare(place->second, sql);
  }
  return place->second;
}

void Session::disconnect() {
  statements.clear();
  link.reset();
}

llvm::Error Session::connect() {
  if (link) {
    return llvm::Error::success();
  }
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(reconnectSeconds);
  std::chrono::milliseconds pause(50);
  while (true) {
    try {
      link = std::make_unique<pqxx::connection>(connection);
      return llvm::Error::success();
    } catch (const std::exception &error) {
      if (Clock::now() + pause >= end) {
        return llvm::make_error<StoreError>(StoreError::Kind::Unavailable,
                                            "cannot connect to PostgreSQL: " +
                                                firstLine(error.what()));
      }
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(1000));
  }
}

Session::Failure Session::failureOf(const std::exception &error, bool mayHaveWritten) {
  std::string reason = firstLine(error.what());
  const auto *sql = dynamic_cast<const pqxx::sql_error *>(&error);
  std::string state = sql ? sql->sqlstate() : "";
  bool isBroken = !link || !link->is_open() || isUnavailable(state) ||
                  dynamic_cast<const pqxx::broken_connection *>(&error) ||
                  dynamic_cast<const pqxx::in_doubt_error *>(&error) ||
                  dynamic_cast<const pqxx::statement_completion_unknown *>(&error);
  if (isBroken) {
    disconnect();
    return {StoreError::Kind::Unavailable,
            "the connection to PostgreSQL broke (" + reason + "); repeat the call",
            !mayHaveWritten};
  }
  if (isTransient(state)) {
    return {StoreError::Kind::Unavailable, reason + "; repeat the call"};
  }
  if (dynamic_cast<const pqxx::transaction_rollback *>(&error)) { // a deadlock
    return {StoreError::Kind::Unavailable, reason + "; repeat the call", true};
  }
  if (llvm::StringRef(state).starts_with("53")) {
    return {StoreError::Kind::Exhausted, "PostgreSQL has no disk space or memory left (" + reason +
                                             "); free space on its server and repeat the call"};
  }
  if (state == "42P01") {
    return {StoreError::Kind::Invalid, "the database has no tables of the tuning service (" +
                                           reason + "); apply the migrations first"};
  }
  return {StoreError::Kind::Invalid, reason};
}

llvm::Error Session::attempt(llvm::StringRef what, Body body, bool &isWorthRetry) {
  bool mayHaveWritten = false;
  try {
    pqxx::work work(*link);
    Transaction transaction(*this, work);
    auto note = llvm::make_scope_exit([&] { mayHaveWritten = transaction.mayHaveWritten; });
    if (llvm::Error error = body(transaction)) {
      return error; // the destructor of `work` rolls back
    }
    work.commit();
    return llvm::Error::success();
  } catch (const std::exception &error) {
    Failure failure = failureOf(error, mayHaveWritten);
    isWorthRetry = failure.isWorthRetry;
    return llvm::make_error<StoreError>(failure.kind,
                                        ("cannot " + what + ": " + failure.text).str());
  }
}

llvm::Error Session::transact(llvm::StringRef what, Body body, AfterBreak afterBreak) {
  for (int count = 1;; ++count) {
    if (llvm::Error error = connect()) {
      return error;
    }
    bool isWorthRetry = false;
    llvm::Error error = attempt(what, body, isWorthRetry);
    if (!isWorthRetry || count == kMaxAttempts || (!link && afterBreak == AfterBreak::Fail)) {
      return error;
    }
    llvm::consumeError(std::move(error));
  }
}

} // namespace convoy::service::store
