// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks CPUs against other agents of this machine, by file locks that end with the process.

#pragma once

#include "llvm/Support/Error.h"
#include <vector>

namespace convoy::service {

class CpuLock {
public:
  /// Waits until no other process holds one of the CPUs. Reports an error after `seconds`.
  static llvm::Expected<CpuLock> acquire(const std::string &folder, std::vector<int> cpus,
                                         double seconds = 60);
  CpuLock(CpuLock &&other) noexcept : files(std::move(other.files)) { other.files.clear(); }
  CpuLock &operator=(CpuLock &&) = delete;
  ~CpuLock();

private:
  CpuLock() = default;
  std::vector<int> files;
};

} // namespace convoy::service
