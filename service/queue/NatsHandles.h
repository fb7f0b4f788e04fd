// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects of libnats that NatsConnection.cpp and JetStream.cpp share.

#pragma once

#include "llvm/Support/Error.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <nats/nats.h>
#include <string>

namespace convoy::service {

/// The data that callbacks of libnats use. It outlives a connection that libnats cannot close.
struct NatsShared {
  using Clock = std::chrono::steady_clock;

  void note(std::string text) {
    std::lock_guard<std::mutex> lock(errorMutex);
    error = std::move(text);
    errorTime = Clock::now();
  }
  /// Returns the error that the server reported since a time, or an empty string.
  std::string errorSince(Clock::time_point time) {
    std::lock_guard<std::mutex> lock(errorMutex);
    return errorTime >= time ? error : std::string();
  }

  std::mutex handlerMutex; // held while a handler runs
  std::function<void(llvm::StringRef messageId, llvm::Expected<uint64_t> sequence)> stored;
  bool isClosed = false; // no handler may run

  std::atomic<int64_t> reconnects{0};

  std::mutex endMutex;
  std::condition_variable end;
  bool hasEnded = false; // libnats runs no more callbacks

private:
  std::mutex errorMutex;
  std::string error;
  Clock::time_point errorTime;
};

template <typename T, void (*destroy)(T *)>
struct NatsDeleter {
  void operator()(T *object) const { destroy(object); }
};
template <typename T, void (*destroy)(T *)>
using NatsPointer = std::unique_ptr<T, NatsDeleter<T, destroy>>;

using NatsMessage = NatsPointer<natsMsg, natsMsg_Destroy>;
using NatsSettings = NatsPointer<natsOptions, natsOptions_Destroy>;

inline int64_t milliseconds(double seconds) {
  return std::max<int64_t>(1, static_cast<int64_t>(seconds * 1e3));
}
inline int64_t nanoseconds(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

} // namespace convoy::service
