// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the store and fences its writes. The functions of one kind of row are in Store<Rows>.cpp,
// the leadership is in Leadership.cpp.

#include "StoreState.h"
#include "service/store/Migrations.h"

namespace convoy::service::store {

Store::Store(std::unique_ptr<State> state) : state(std::move(state)) {}
Store::~Store() = default;

llvm::Expected<std::unique_ptr<Store>> Store::open(const StoreOptions &options) {
  llvm::Expected<std::string> connection = completeConnection(options.connection);
  if (!connection) {
    return connection.takeError();
  }
  auto state = std::make_unique<State>(*connection, options.reconnectSeconds);
  if (llvm::Error error = state->session.connect()) {
    return error;
  }
  return std::unique_ptr<Store>(new Store(std::move(state)));
}

llvm::Error Store::migrate() {
  std::lock_guard<std::mutex> guard(state->mutex);
  return applyMigrations(state->session);
}

llvm::Error Store::State::read(llvm::StringRef what, Session::Body body) {
  std::lock_guard<std::mutex> guard(mutex);
  return session.transact(what, body);
}

llvm::Error Store::State::write(llvm::StringRef what, Session::Body body,
                                llvm::function_ref<void()> afterCommit) {
  std::lock_guard<std::mutex> guard(mutex);
  llvm::Error error = session.transact(what, [&](Transaction &transaction) -> llvm::Error {
    if (llvm::Error error = checkEpoch(transaction)) {
      return error;
    }
    transaction.noteWrite();
    return body(transaction);
  });
  if (error) {
    knownTexts.clear(); // the server may have been replaced by one with older data
    return error;
  }
  if (afterCommit) {
    afterCommit();
  }
  return llvm::Error::success();
}

llvm::Error Store::State::checkEpoch(Transaction &transaction) const {
  int64_t own = epoch;
  int64_t newest = transaction.run("select epoch from leader for share")[0][0].as<int64_t>();
  if (own == newest && own > 0) {
    return llvm::Error::success();
  }
  std::string past =
      own > 0 ? "epoch " + std::to_string(own) + " is over" : "this process has not led yet";
  std::string present =
      newest > 0 ? "epoch " + std::to_string(newest) + " leads" : "no epoch has begun";
  return llvm::make_error<StoreError>(StoreError::Kind::LostLeadership,
                                      "lost the leadership: " + past + ", " + present);
}

} // namespace convoy::service::store
