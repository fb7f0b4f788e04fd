// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock of CPU 3 is the file convoy-cpu3.lock. All agents lock in ascending order, so that they
// cannot wait for each other.

#include "service/worker/CpuLock.h"
#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace convoy::service {

static constexpr std::chrono::milliseconds kRetryTime(5);

llvm::Expected<CpuLock> CpuLock::acquire(const std::string &folder, std::vector<int> cpus,
                                         double seconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::sort(cpus.begin(), cpus.end());
  CpuLock lock;
  for (int cpu : cpus) {
    std::string path = folder + "/convoy-cpu" + std::to_string(cpu) + ".lock";
    int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
      return llvm::createStringError("cannot create the lock file '" + path +
                                     "': " + std::generic_category().message(errno));
    }
    lock.files.push_back(file);
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
      if (std::chrono::steady_clock::now() > end) {
        return llvm::createStringError("another process measures on CPU " + std::to_string(cpu) +
                                       " and holds '" + path + "'");
      }
      std::this_thread::sleep_for(kRetryTime);
    }
  }
  return lock;
}

CpuLock::~CpuLock() {
  for (int file : files) {
    close(file);
  }
}

} // namespace convoy::service
