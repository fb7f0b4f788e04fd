// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inside of a Store, which the sources of the store share.

#pragma once

#include "service/store/Session.h"
#include "service/store/Store.h"
#include "service/store/TaskHashes.h"
#include "llvm/ADT/StringSet.h"
#include <atomic>
#include <mutex>

namespace convoy::service::store {

struct Store::State {
  State(const std::string &connection, double reconnectSeconds)
      : connection(connection), reconnectSeconds(reconnectSeconds),
        session(connection, reconnectSeconds), leadership(connection, reconnectSeconds) {}

  /// Runs a transaction that only reads. It is repeated if the connection breaks.
  llvm::Error read(llvm::StringRef what, Session::Body body);
  /// Runs a transaction that writes in the epoch of this store. Calls `afterCommit` with the mutex
  /// locked.
  llvm::Error write(llvm::StringRef what, Session::Body body,
                    llvm::function_ref<void()> afterCommit = nullptr);
  llvm::Error checkEpoch(Transaction &transaction) const;
  /// Asks the server whether `leadership` holds the leader's lock in the newest epoch. The caller
  /// holds leadershipMutex.
  bool holdsLock();

  std::string connection;
  double reconnectSeconds;

  std::mutex mutex; // of `session`, `hashes` and `knownTexts`
  Session session;
  TaskHashes hashes;
  llvm::StringSet<> knownTexts; // hashes of texts that the database has
  std::mutex leadershipMutex;   // of `leadership` and `leaderBackend`
  Session leadership;           // holds the leader's lock
  /// The server's process behind the lock; 0 without the lock. A replaced connection has
  /// another one.
  int leaderBackend = 0;
  std::atomic<int64_t> epoch{0};
};

/// A record to store, and its origin.
struct NewRecord {
  const tuning::Record *record;
  llvm::StringRef job, device;
};

/// Adds records that pass checkRecord() and whose trial id is unknown. Returns the number of added
/// records. `hashes` finds the keys of the tasks. The texts of the tasks in `knownTexts` are not
/// written.
int64_t insertRecords(Transaction &transaction, llvm::ArrayRef<NewRecord> records,
                      TaskHashes &hashes, const llvm::StringSet<> &knownTexts);

/// Adds the texts of tasks that are unknown.
void insertTexts(Transaction &transaction, std::vector<llvm::StringRef> texts);

} // namespace convoy::service::store
