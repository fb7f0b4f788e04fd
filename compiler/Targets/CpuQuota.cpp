// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the CPU limit of control groups, version 2 (cpu.max) and version 1
// (cpu.cfs_quota_us). A group is bound by every group around it. Inside a container
// the path of a group often starts outside of what is mounted; the mount's root is
// then the container's own group, which is why it always counts.

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

/// Quota over period, rounded down: a thread for a fraction of a CPU would have the
/// others wait for it. 0 for "max", -1, or what is no number.
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

/// The strictest limit of a group and those around it.
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
    // number:controllers:path; version 2 names no controllers.
    auto [number, rest] = line.split(':');
    auto [controllers, group] = rest.split(':');
    if (controllers.empty()) {
      result = stricter(result, quotaUpwards(root, group, /*isVersion2=*/true));
    } else if (llvm::is_contained(llvm::split(controllers, ","), StringRef("cpu"))) {
      // Mounted under the names of its controllers, with a link for each.
      result = stricter(result, quotaUpwards((root + "/cpu").str(), group, /*isVersion2=*/false));
    }
  }
  return result;
}

} // namespace convoy::targets
