// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leader holds an advisory lock on a connection of its own. The server releases the lock when
// the connection ends. A leader that is cut off still believes that it leads, so every leadership
// has an epoch, and every write checks it (Store.cpp).

#include "StoreState.h"
#include "service/store/LockKeys.h"
#include <unistd.h>

namespace convoy::service::store {
namespace {

std::string processName() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  return std::string(host) + ":" + std::to_string(getpid());
}

/// Returns whether this connection has taken the leader's lock.
bool takeLock(Transaction &transaction) {
  return transaction.run("select pg_try_advisory_lock($1)", kLeaderLock)[0][0].as<bool>();
}

} // namespace

llvm::Expected<std::optional<int64_t>> Store::tryLead() {
  std::lock_guard<std::mutex> guard(state->leadershipMutex);
  if (state->holdsLock()) {
    return epoch();
  }
  bool hasLock = false;
  int backend = 0;
  int64_t epoch = 0;
  llvm::Error error =
      state->leadership.transact("take the leadership", [&](Transaction &transaction) {
        hasLock = takeLock(transaction);
        if (hasLock) {
          pqxx::result row = transaction.run(
              "update leader set epoch = epoch + 1, holder = $1, since_us = now_us() "
              "returning epoch, pg_backend_pid()",
              processName());
          epoch = row[0][0].as<int64_t>();
          backend = row[0][1].as<int>();
        }
        return llvm::Error::success();
      });
  if (error) {
    state->leadership.disconnect(); // may hold the lock without an epoch
    return error;
  }
  if (!hasLock) {
    return std::nullopt;
  }
  state->leaderBackend = backend;
  state->epoch = epoch;
  return epoch;
}

bool Store::isLeading() {
  std::lock_guard<std::mutex> guard(state->leadershipMutex);
  return state->holdsLock();
}

bool Store::State::holdsLock() {
  if (leaderBackend == 0 || !leadership.isConnected()) {
    return false;
  }
  int backend = 0;
  int64_t newest = 0;
  // A new connection would not have the lock.
  llvm::Error error = leadership.transact(
      "check the leadership",
      [&](Transaction &transaction) {
        pqxx::result row = transaction.run("select pg_backend_pid(), epoch from leader");
        backend = row[0][0].as<int>();
        newest = row[0][1].as<int64_t>();
        return llvm::Error::success();
      },
      Session::AfterBreak::Fail);
  if (!error && backend == leaderBackend && newest == epoch) {
    return true;
  }
  llvm::consumeError(std::move(error));
  leaderBackend = 0;
  leadership.disconnect();
  return false;
}

void Store::resign() {
  std::lock_guard<std::mutex> guard(state->leadershipMutex);
  state->leaderBackend = 0;
  state->leadership.disconnect();
}

void Store::useEpoch(int64_t epoch) { state->epoch = epoch; }

int64_t Store::epoch() const { return state->epoch; }

} // namespace convoy::service::store
