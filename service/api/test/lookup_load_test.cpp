// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures LookupBest under load: 16 gRPC clients with open connections send 2,000 calls a second
// for 5 s. Prints the rate and the latencies; fails if the 99th percentile exceeds 20 ms.

#include "service/api/GrpcClient.h"
#include "service/api/GrpcServer.h"
#include "service/api/test/Faces.h"
#include <algorithm>

using namespace convoy::service;
using namespace convoy::service::test;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kClients = 16, kCallsPerSecond = 2000, kSeconds = 5, kTasks = 23;

/// Sends calls at fixed times, so that a slow answer delays none and its wait counts.
std::vector<double> sendCalls(TuningApi &client, const BestQuery &query, Clock::time_point start) {
  std::vector<double> latencies;
  const auto interval = std::chrono::microseconds(1000000 * kClients / kCallsPerSecond);
  for (int i = 0; i < kCallsPerSecond / kClients * kSeconds; ++i) {
    Clock::time_point due = start + i * interval;
    std::this_thread::sleep_until(due);
    llvm::Expected<BestAnswer> answer = client.lookupBest(query);
    EXPECT_TRUE(bool(answer) && answer->tasks.size() == kTasks);
    llvm::consumeError(answer.takeError());
    latencies.push_back(std::chrono::duration<double, std::milli>(Clock::now() - due).count());
  }
  return latencies;
}

TEST(LookupLoad, SixteenClients) {
  MemoryApi api;
  auto server = llvm::cantFail(GrpcServer::start(api, "127.0.0.1:0", Certificates::get().server()));
  BestQuery query;
  for (int i = 0; i < kTasks; ++i) {
    query.tasks.push_back({"known" + std::string(59, 'a') + std::to_string(i), 1});
  }
  std::vector<std::unique_ptr<GrpcClient>> clients;
  for (int i = 0; i < kClients; ++i) {
    GrpcClientOptions options;
    options.addresses = "127.0.0.1:" + std::to_string(server->port());
    options.files = Certificates::get().client();
    clients.push_back(llvm::cantFail(GrpcClient::create(options)));
    llvm::cantFail(clients.back()->lookupBest(query).takeError()); // connects
  }
  Clock::time_point start = Clock::now() + std::chrono::milliseconds(50);
  std::vector<std::vector<double>> latencies(kClients);
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    auto shift = std::chrono::microseconds(1000000 / kCallsPerSecond * i);
    threads.emplace_back(
        [&, i, shift] { latencies[i] = sendCalls(*clients[i], query, start + shift); });
  }
  std::vector<double> all;
  for (int i = 0; i < kClients; ++i) {
    threads[i].join();
    all.insert(all.end(), latencies[i].begin(), latencies[i].end());
  }
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::sort(all.begin(), all.end());
  auto percentile = [&](double p) { return all[static_cast<size_t>(p * (all.size() - 1))]; };
  std::printf("LookupBest of %d tasks: %.0f calls/s, median %.2f ms, p99 %.2f ms, most %.2f ms\n",
              kTasks, static_cast<double>(all.size()) / seconds, percentile(0.5), percentile(0.99),
              all.back());
  EXPECT_GE(static_cast<double>(all.size()) / seconds, 0.98 * kCallsPerSecond);
  EXPECT_LE(percentile(0.99), 20);
}

} // namespace
