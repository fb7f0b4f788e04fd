// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects the current machine as a Target. LLVM names the CPU, the cpuid
// decoder of the runtime lists the features of an x86 CPU, and Linux reports
// cache sizes and cores in /sys. A property that no source reports gets a value
// that is correct for most machines of this kind.

#include "Targets/DetectHost.h"
#include "Targets/CpuQuota.h"
#include "Targets/SourceCompiler.h"
#include "convoy/convoy.h"
#include "runtime/core/cpu_x86.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <cstring>

using llvm::StringRef;

namespace convoy::targets {
namespace {

/// Returns the trimmed text of a small file, or an empty string.
std::string textOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : "";
}

/// Parses a size of sysfs ("48K", "2048K", "300M"). Returns 0 for any other
/// text.
int64_t bytesOf(StringRef text) {
  int64_t scale = 1;
  if (text.consume_back("K")) {
    scale = 1024;
  } else if (text.consume_back("M")) {
    scale = 1024 * 1024;
  }
  int64_t number = 0;
  return text.getAsInteger(10, number) ? 0 : number * scale;
}

/// Returns the number of CPUs in a list such as "0-3,8".
int64_t cpusIn(StringRef list) {
  int64_t count = 0;
  for (StringRef part : llvm::split(list, ",")) {
    auto [first, last] = part.split('-');
    int64_t from = 0;
    int64_t to = 0;
    if (first.getAsInteger(10, from)) {
      return 1;
    }
    if (last.empty()) {
      to = from;
    } else if (last.getAsInteger(10, to)) {
      return 1;
    }
    count += to - from + 1;
  }
  return std::max<int64_t>(count, 1);
}

std::vector<Cache> detectCaches() {
  std::vector<Cache> caches;
  for (int index = 0; index < 8; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    std::string type = textOf(folder + "type");
    if (type != "Data" && type != "Unified") {
      continue;
    }
    Cache cache;
    cache.bytes = bytesOf(textOf(folder + "size"));
    StringRef(textOf(folder + "level")).getAsInteger(10, cache.level);
    StringRef(textOf(folder + "coherency_line_size")).getAsInteger(10, cache.lineBytes);
    cache.sharedByCores = cpusIn(textOf(folder + "shared_cpu_list"));
    if (cache.bytes > 0 && cache.level > 0) {
      caches.push_back(cache);
    }
  }
  if (caches.empty()) {
    // Some virtual machines and containers hide the caches. Few current CPUs
    // have smaller caches than these.
    caches = {{1, 32 * 1024, 64, 1}, {2, 256 * 1024, 64, 1}};
  }
  llvm::sort(caches, [](const Cache &a, const Cache &b) { return a.level < b.level; });
  return caches;
}

void describeVectors(Target &target) {
  auto has = [&](StringRef feature) { return llvm::is_contained(target.features, feature); };
  bool isX86 = llvm::Triple(target.triple).isX86();
  target.hasFma = isX86 ? has("fma") : true;
  // No interface reports the number of fused multiply-add ports. All but the
  // smallest cores of the last ten years have two.
  target.fmaPorts = target.hasFma ? 2 : 0;
  target.vectorBytes = 16;
  target.vectorRegisters = isX86 ? 16 : 32;
  if (isX86 && has("avx512f") && has("avx512vl")) {
    target.vectorBytes = 64;
    target.vectorRegisters = 32;
  } else if (isX86 && has("avx")) {
    target.vectorBytes = 32;
  }
}

/// Returns the number of cores that this process may use: the affinity mask
/// (which includes the cpuset), limited by the container's CPU quota. Hardware
/// threads of one core count once, because one kernel saturates the multipliers
/// of a core.
int64_t usableCores() {
  int64_t cores = std::max<int64_t>(llvm::get_physical_cores(), 1);
  int64_t quota = cpuQuota(textOf("/proc/self/cgroup"), "/sys/fs/cgroup");
  return quota == 0 ? cores : std::min(cores, quota);
}

/// Returns the features that LLVM detects on a host other than x86 and that the
/// runtime can check.
std::vector<std::string> checkedFeatures() {
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    std::string name = feature.getKey().str();
    if (feature.getValue() && convoy_check_cpu(name.c_str()) == CONVOY_OK) {
      features.push_back(name);
    }
  }
  llvm::sort(features);
  return features;
}

} // namespace

std::vector<std::string> kernelFeatures(const convoy_x86_source &source) {
  convoy_x86_cpu cpu;
  convoy_x86_read(&cpu, &source);
  std::vector<std::string> features;
  for (size_t i = 0; const char *name = convoy_x86_kernel_feature(i); ++i) {
    if (convoy_x86_has(&cpu, name, std::strlen(name))) {
      features.emplace_back(name);
    }
  }
  llvm::sort(features);
  return features;
}

void describeCpu(Target &target) {
  describeVectors(target);
  target.sourceCompiler = deriveSourceCompiler(target);
}

Target detectHost() {
  Target target;
  target.name = "host";
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = llvm::sys::getHostCPUName().str();
  const convoy_x86_source *x86 = convoy_x86_host();
  target.features = x86 ? kernelFeatures(*x86) : checkedFeatures();
  describeCpu(target);
  target.caches = detectCaches();
  target.cores = usableCores();
  target.memories = {{"ram", 0, 64}};
  target.summary = "this machine: " + target.cpu;
  return target;
}

} // namespace convoy::targets
