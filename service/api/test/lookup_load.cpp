// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures LookupBest of a running service: 16 gRPC clients with open connections send 2,000 calls
// a second. Prints the rate and the latencies; fails if the 99th percentile exceeds 20 ms.
// tests/service/lookup_test.py starts the service and this program.
//
//   service_lookup_load ADDRESS CERTS SECONDS TARGET KEY...

#include "service/api/test/GrpcClient.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

using namespace convoy::service;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kClients = 16, kCallsPerSecond = 2000;
constexpr double kMostMs = 20, kLeastRate = 0.98 * kCallsPerSecond;

std::atomic<int> wrongAnswers{0};

/// Sends calls at fixed times, so that a slow answer delays none and its wait counts.
std::vector<double> sendCalls(TuningApi &client, const BestQuery &query, Clock::time_point start,
                              int seconds) {
  std::vector<double> latencies;
  const auto interval = std::chrono::microseconds(1000000 * kClients / kCallsPerSecond);
  for (int i = 0; i < kCallsPerSecond / kClients * seconds; ++i) {
    Clock::time_point due = start + i * interval;
    std::this_thread::sleep_until(due);
    llvm::Expected<BestAnswer> answer = client.lookupBest(query);
    bool isRight = bool(answer) && answer->tasks_size() == query.tasks_size() &&
                   !answer->tasks(0).configurations().empty();
    wrongAnswers += !isRight;
    llvm::consumeError(answer.takeError());
    latencies.push_back(std::chrono::duration<double, std::milli>(Clock::now() - due).count());
  }
  return latencies;
}

std::vector<std::unique_ptr<GrpcClient>> connect(const GrpcClientOptions &options,
                                                 const BestQuery &query) {
  std::vector<std::unique_ptr<GrpcClient>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(llvm::cantFail(GrpcClient::create(options)));
    llvm::cantFail(clients.back()->lookupBest(query).takeError()); // connects
  }
  return clients;
}

int report(std::vector<double> latencies, double seconds, int tasks) {
  std::sort(latencies.begin(), latencies.end());
  auto percentile = [&](double share) {
    return latencies[static_cast<size_t>(share * static_cast<double>(latencies.size() - 1))];
  };
  double rate = static_cast<double>(latencies.size()) / seconds;
  llvm::outs() << llvm::formatv("LookupBest of {0} tasks: {1:f0} calls/s, median {2:f2} ms, p99 "
                                "{3:f2} ms, most {4:f2} ms, {5} wrong answers\n",
                                tasks, rate, percentile(0.5), percentile(0.99), latencies.back(),
                                wrongAnswers.load());
  return rate >= kLeastRate && percentile(0.99) <= kMostMs && wrongAnswers == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 6) {
    llvm::errs() << "usage: service_lookup_load ADDRESS CERTS SECONDS TARGET KEY...\n";
    return 1;
  }
  GrpcClientOptions options;
  options.addresses = argv[1];
  options.files = TlsFiles::inFolder(argv[2], "client");
  int secondsOfLoad = std::max(std::atoi(argv[3]), 1);
  BestQuery query;
  query.set_target(argv[4]);
  query.set_policy("cold-weights");
  for (int i = 5; i < argc; ++i) {
    query.add_tasks()->set_key(argv[i]);
  }
  std::vector<std::unique_ptr<GrpcClient>> clients = connect(options, query);
  Clock::time_point start = Clock::now() + std::chrono::milliseconds(50);
  std::vector<std::vector<double>> latencies(kClients);
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    auto shift = std::chrono::microseconds(1000000 / kCallsPerSecond * i);
    threads.emplace_back([&, i, shift] {
      latencies[i] = sendCalls(*clients[i], query, start + shift, secondsOfLoad);
    });
  }
  std::vector<double> all;
  for (int i = 0; i < kClients; ++i) {
    threads[i].join();
    all.insert(all.end(), latencies[i].begin(), latencies[i].end());
  }
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report(std::move(all), seconds, query.tasks_size());
}
