// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that uses the store, for tests that cut its network or fill the server's disk. Prints
// one event per line: the monotonic time in seconds, the event, and a text.
//
//   store_probe lead    competes for the leadership and writes while it leads, until it is killed
//   store_probe fill    adds trials until a write fails and a later write succeeds

#include "service/store/Store.h"
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace convoy::service::store {
namespace {

void print(const char *event, const std::string &text) {
  std::chrono::duration<double> time = std::chrono::steady_clock::now().time_since_epoch();
  printf("%.3f %s %s\n", time.count(), event, text.c_str());
  fflush(stdout);
}

void pauseMs(int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

/// Writes until the leadership is lost.
void writeWhileLeading(Store &store) {
  for (int64_t count = 0;; ++count) {
    std::string text = std::to_string(store.epoch()) + " " + std::to_string(count);
    if (llvm::Error error = store.putProject({std::to_string(getpid()), 1, double(count)})) {
      bool hasLost = storeErrorKind(error) == StoreError::Kind::LostLeadership;
      print(hasLost ? "lost" : "failed", llvm::toString(std::move(error)));
    } else {
      print("wrote", text);
    }
    if (!store.isLeading()) {
      print("stopped", text);
      return;
    }
    pauseMs(50);
  }
}

int lead(Store &store) {
  while (true) {
    llvm::Expected<std::optional<int64_t>> epoch = store.tryLead();
    if (!epoch) {
      print("failed", llvm::toString(epoch.takeError()));
    } else if (*epoch) {
      print("leads", std::to_string(**epoch));
      writeWhileLeading(store);
    } else {
      print("waits", "");
    }
    pauseMs(100);
  }
}

llvm::Error addRound(Store &store, int64_t round) {
  std::vector<TrialRow> trials(500);
  for (size_t place = 0; place < trials.size(); ++place) {
    trials[place].id = {"fill", round, static_cast<int64_t>(place)};
    trials[place].configuration = {"conv_direct", 1, std::string(400, 'x'), "planar", "planar"};
  }
  return store.addTrials(trials);
}

int fill(Store &store) {
  JobRow job;
  job.id = "fill";
  job.project = "p";
  llvm::Expected<CreatedJob> created = store.createJob(job, {});
  if (!created) {
    print("failed", llvm::toString(created.takeError()));
    return 1;
  }
  int failures = 0;
  for (int64_t round = 0; round < 2000;) {
    if (llvm::Error error = addRound(store, round)) {
      bool isFull = storeErrorKind(error) == StoreError::Kind::Exhausted;
      print(isFull ? "full" : "failed", llvm::toString(std::move(error)));
      ++failures;
      pauseMs(200);
      continue;
    }
    ++round;
    print("added", std::to_string(round));
    if (failures > 0) {
      return 0;
    }
  }
  return 1;
}

int run(const char *command) {
  llvm::Expected<std::unique_ptr<Store>> store = Store::open({});
  if (!store) {
    print("failed", llvm::toString(store.takeError()));
    return 1;
  }
  if (llvm::Error error = (*store)->migrate()) {
    print("failed", llvm::toString(std::move(error)));
    return 1;
  }
  if (strcmp(command, "lead") == 0) {
    return lead(**store);
  }
  llvm::Expected<std::optional<int64_t>> epoch = (*store)->tryLead();
  if (!epoch || !*epoch) {
    llvm::consumeError(epoch.takeError());
    print("failed", "cannot lead");
    return 1;
  }
  return fill(**store);
}

} // namespace
} // namespace convoy::service::store

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: store_probe lead|fill\n");
    return 1;
  }
  return convoy::service::store::run(argv[1]);
}
