// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the CPU limit of control groups, version 2 (cpu.max) and version 1
// (cpu.cfs_quota_us). The limits of all parent groups apply to a group. In a
// container, the path of a group often starts outside of the mounted hierarchy.
// The root of the mount is then the container's own group, so this file always
// reads its limit.

#include "Targets/CpuQuota.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace convoy::targets {
namespace {

std::string textOf(const llvm::Twine &path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : "";
}

/// Returns quota / period, rounded down, because a thread with a fraction of a
/// CPU would delay the other threads. Returns 0 for "max", -1, or text that is
/// not a number.
int64_t wholeCpus(StringRef quota, StringRef period) {
  int64_t time = 0;
  int64_t each = 0;
  if (quota.getAsInteger(10, time) || period.getAsInteger(10, each) || time <= 0 || each <= 0) {
    return 0;
  }
  return std::max<int64_t>(time / each, 1);
}

int64_t quotaOf(StringRef folder, bool isVersion2) {
  if (isVersion2) {
    std::string text = textOf(folder + "/cpu.max");
    auto [quota, period] = StringRef(text).split(' ');
    return wholeCpus(quota, period);
  }
  return wholeCpus(textOf(folder + "/cpu.cfs_quota_us"), textOf(folder + "/cpu.cfs_period_us"));
}

int64_t stricter(int64_t a, int64_t b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

/// Returns the strictest limit of a group and its parents.
int64_t quotaUpwards(StringRef root, StringRef group, bool isVersion2) {
  int64_t result = quotaOf(root, isVersion2);
  while (!group.empty() && group != "/") {
    result = stricter(result, quotaOf((root + group).str(), isVersion2));
    group = llvm::sys::path::parent_path(group);
  }
  return result;
}

} // namespace

int64_t cpuQuota(StringRef groups, StringRef root) {
  int64_t result = 0;
  for (StringRef line : llvm::split(groups.trim(), "\n")) {
    // A line is number:controllers:path; version 2 lists no controllers.
    auto [number, rest] = line.split(':');
    auto [controllers, group] = rest.split(':');
    if (controllers.empty()) {
      result = stricter(result, quotaUpwards(root, group, /*isVersion2=*/true));
    } else if (llvm::is_contained(llvm::split(controllers, ","), StringRef("cpu"))) {
      // Version 1 is mounted under the names of its controllers, with a
      // symbolic link for each.
      result = stricter(result, quotaUpwards((root + "/cpu").str(), group, /*isVersion2=*/false));
    }
  }
  return result;
}

} // namespace convoy::targets
