// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks one server after another until one accepts the call.

#include "service/api/Failover.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <random>
#include <thread>

namespace convoy::service {
namespace {

using Clock = std::chrono::steady_clock;

// A standby takes over within seconds, so asking more often only costs handshakes.
constexpr std::chrono::milliseconds kPause{250};

} // namespace

JobSpec withKey(JobSpec spec) {
  if (spec.idempotency_key().empty()) {
    std::random_device random;
    for (int i = 0; i < 4; ++i) {
      *spec.mutable_idempotency_key() += llvm::formatv("{0:x-8}", random()).str();
    }
  }
  return spec;
}

Failover::Failover(llvm::StringRef text, double patienceSeconds)
    : patienceSeconds(patienceSeconds) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    servers.push_back(part.trim().rtrim('/').str());
  }
}

size_t Failover::next(size_t server, const ApiError &error) const {
  auto leader = llvm::find(servers, error.leader);
  bool isOther = leader != servers.end() && leader - servers.begin() != static_cast<long>(server);
  return isOther ? leader - servers.begin() : (server + 1) % servers.size();
}

llvm::Error Failover::run(llvm::function_ref<Attempt(size_t server)> attempt) {
  size_t server = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    server = current;
  }
  Clock::time_point start = Clock::now();
  for (size_t calls = 1;; ++calls) {
    Attempt result = attempt(server);
    std::unique_lock<std::mutex> lock(mutex);
    wasReached |= result.isReached;
    if (!result.error || !result.isRetried) {
      current = server;
      return std::move(result.error);
    }
    ApiError error = takeApiError(std::move(result.error));
    bool isPatient =
        wasReached && std::chrono::duration<double>(Clock::now() - start).count() < patienceSeconds;
    lock.unlock();
    if (calls >= servers.size() && !isPatient) {
      return toError(error);
    }
    server = next(server, error);
    if (calls % servers.size() == 0) {
      std::this_thread::sleep_for(kPause);
    }
  }
}

} // namespace convoy::service
