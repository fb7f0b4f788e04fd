// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the leader among several servers, and makes calls repeatable. Both clients use it.

#pragma once

#include "service/api/ApiError.h"
#include "service/api/TuningApi.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <mutex>
#include <vector>

namespace convoy::service {

/// How a call to one server ended.
struct Attempt {
  llvm::Error error;
  /// Another server may be asked, because this one did not do the work or may do it twice.
  bool isRetried = false;
  /// The server answered.
  bool isReached = false;
};

/// Returns the specification with a random idempotency key if it has none. The client may then
/// repeat the call after a lost answer: the service creates one job.
JobSpec withKey(JobSpec spec);

class Failover {
public:
  /// `servers` are separated by commas.
  Failover(llvm::StringRef servers, double patienceSeconds);

  size_t size() const { return servers.size(); }
  const std::vector<std::string> &list() const { return servers; }

  /// Calls `attempt` with the index of a server until a call is not retried. Starts with the last
  /// server that worked. If servers answered but none leads, tries for the patience; if no server
  /// was ever reached, tries each once.
  llvm::Error run(llvm::function_ref<Attempt(size_t server)> attempt);

private:
  size_t next(size_t server, const ApiError &error) const;

  std::vector<std::string> servers;
  double patienceSeconds;
  std::mutex mutex; // protects the members below
  size_t current = 0;
  bool wasReached = false;
};

} // namespace convoy::service
