// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures candidates on CPUs of this machine, one at a time. A file lock per CPU keeps other
// agents away. A sentinel kernel runs every few trials; if its time drifts, the device reports
// itself as quarantined and takes no work until the time is normal again.

#pragma once

#include "service/blobs/BlobClient.h"
#include "service/worker/Worker.h"

namespace convoy::service {

struct AgentOptions {
  std::string name;
  std::string deviceClass;
  std::string cpu; // the name of the CPU
  std::vector<int> cpus = {0};
  std::string program;             // the path of convoy-measure
  std::string lockFolder = "/tmp"; // contains the lock files of the CPUs
  std::string sysFolder = "/sys";  // shows frequencies and temperatures
  int sentinelEvery = 20;          // trials
  double maxDrift = 0.03;
  double maxWaitSeconds = 60; // total time to wait for an idle CPU
  std::function<void(const std::string &text)> say = [](const std::string &) {};
};

std::unique_ptr<WorkStation> makeMeasureStation(AgentOptions options,
                                                std::shared_ptr<BlobClient> blobs);

} // namespace convoy::service
