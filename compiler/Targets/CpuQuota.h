// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of the CPUs a container may use.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace convoy::targets {

/// Whole CPUs' worth of time that control groups leave this process, at least 1; 0
/// when they set no limit. `groups` is the text of /proc/self/cgroup, `root` where
/// the groups are mounted: /sys/fs/cgroup.
int64_t cpuQuota(llvm::StringRef groups, llvm::StringRef root);

} // namespace convoy::targets
