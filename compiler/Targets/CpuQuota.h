// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the CPU limit of a container. DetectHost.cpp uses it to count usable
// cores.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace convoy::targets {

/// Returns the CPU limit of control groups in whole CPUs, at least 1, or 0 if
/// there is no limit. `groups` is the content of /proc/self/cgroup; `root` is
/// the mount point of the groups, /sys/fs/cgroup.
int64_t cpuQuota(llvm::StringRef groups, llvm::StringRef root);

} // namespace convoy::targets
