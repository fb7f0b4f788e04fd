// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses sched_setaffinity and /proc.

#include "Machine.h"
#include "Spec.h"
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace convoy::measure {
namespace {

/// Returns the CPUs that this thread may run on, in ascending order.
std::vector<int> allowedCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) {
    fail(std::string("cannot read the CPU affinity: ") + std::strerror(errno));
  }
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) {
      cores.push_back(core);
    }
  }
  return cores;
}

void pinTo(const std::vector<int> &cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores) {
    CPU_SET(core, &set);
  }
  if (sched_setaffinity(0, sizeof(set), &set) != 0) {
    fail(std::string("cannot pin a thread: ") + std::strerror(errno));
  }
}

/// Returns the fields of a thread's "stat" file from the state on. The format is "<id> (<name>)
/// <state> ..."; the name may contain any character.
std::string statOf(const std::string &thread) {
  std::ifstream file("/proc/self/task/" + thread + "/stat");
  std::string text;
  std::getline(file, text);
  size_t end = text.rfind(") ");
  return end == std::string::npos ? "" : text.substr(end + 2);
}

/// Returns whether another thread of this process is runnable. A thread that spins is runnable
/// even while it waits for a CPU.
bool isAnotherThreadAwake() {
  std::string self = std::to_string(gettid());
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string thread = entry.path().filename();
    if (thread != self && statOf(thread).rfind('R', 0) == 0) {
      return true;
    }
  }
  return false;
}

} // namespace

void pinToCores(int count) {
  std::vector<int> cores = allowedCores();
  if (cores.size() < static_cast<size_t>(count)) {
    fail("this process may use " + std::to_string(cores.size()) + " CPUs, but needs " +
         std::to_string(count));
  }
  cores.resize(count);
  pinTo(cores);
}

int usableCores() { return static_cast<int>(allowedCores().size()); }

int lastCpuOf(int thread) {
  std::istringstream fields(statOf(std::to_string(thread)));
  std::string field;
  // The CPU is field 39 of the file; the state is field 3.
  for (int number = 3; number <= 39; ++number) {
    if (!(fields >> field)) {
      return -1;
    }
  }
  return std::stoi(field);
}

void pinToCore(int index) { pinTo({allowedCores().at(index)}); }

void pinToCpus(const std::vector<int> &cpus) { pinTo(cpus); }

void awaitSleepingThreads() {
  constexpr int kMaxMs = 5000;
  for (int ms = 0; ms < kMaxMs; ++ms) {
    if (!isAnotherThreadAwake()) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  fail("threads of the program still run " + std::to_string(kMaxMs / 1000) +
       " s after an inference; they would disturb the other program");
}

double peakResidentMb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) {
      double kib = 0;
      std::istringstream(line.substr(6)) >> kib;
      return kib * 1024 / 1e6;
    }
  }
  fail("/proc/self/status does not contain the peak memory");
}

} // namespace convoy::measure
