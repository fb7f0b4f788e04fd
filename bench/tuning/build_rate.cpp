// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the number of candidates per second of the build stage, and the time of each step:
//
//     convoy tune --list-tasks MODEL --json > tasks.json
//     tuning_build_rate tasks.json [samples per task] [processes]

#include "Pipeline/TargetOptions.h"
#include "bench/tuning/TaskList.h"
#include "tuning/build/BuildBatch.h"
#include "tuning/space/TaskSpace.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace convoy;
using namespace convoy::tuning;

namespace {

/// Returns entries of the task's space, evenly spaced in its order.
void sample(const Task &task, const targets::Target &target, size_t count,
            std::vector<BuildRequest> &candidates) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TaskModule module = llvm::cantFail(readTask(task, &context));
  SpaceOptions options;
  options.machine = machineOf(target);
  options.isStrictMath = module.settings.isStrictMath;
  TaskSpace space = llvm::cantFail(spaceOf(module.kernel(), options));
  for (size_t i = 0; i < std::min(count, space.entries.size()); ++i) {
    size_t index = i * (space.entries.size() - 1) / std::max<size_t>(count - 1, 1);
    candidates.push_back({task, space.entries[index].configuration});
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: tuning_build_rate TASKS.json [SAMPLES] [PROCESSES]\n";
    return 1;
  }
  llvm::Expected<std::vector<ListedTask>> tasks = readTaskList(argv[1]);
  if (!tasks) {
    llvm::errs() << "error: " << llvm::toString(tasks.takeError()) << "\n";
    return 1;
  }
  size_t samples = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 4;
  size_t processes = argc > 3 ? std::max(std::strtoul(argv[3], nullptr, 10), 1ul) : 2;
  BatchOptions options;
  options.build.target = targets::detectHost();
  options.processes = static_cast<int>(processes);
  std::vector<BuildRequest> candidates;
  for (const ListedTask &listed : *tasks) {
    sample(listed.task, options.build.target, samples, candidates);
  }
  llvm::SmallString<64> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("build-rate", folder)) {
    llvm::errs() << "error: no temporary folder: " << error.message() << "\n";
    return 1;
  }
  options.build.directory = folder.str().str();
  auto start = std::chrono::steady_clock::now();
  std::vector<BuildResult> results = buildBatch(candidates, options, "candidate");
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  [[maybe_unused]] std::error_code ignored = llvm::sys::fs::remove_directories(folder);
  BuildTimes total;
  size_t failed = 0;
  for (const BuildResult &result : results) {
    if (!result.isBuilt()) {
      llvm::errs() << result.problem << ": " << result.message << "\n";
      ++failed;
    }
    total.readSeconds += result.candidate.times.readSeconds;
    total.stagesSeconds += result.candidate.times.stagesSeconds;
    total.emitSeconds += result.candidate.times.emitSeconds;
  }
  auto count = static_cast<double>(results.size());
  llvm::outs() << llvm::format("%zu candidates in %.1f s, %.1f per second, %zu failed\n"
                               "each: task %.3f s, stages %.3f s, code and library %.3f s\n",
                               results.size(), seconds, count / seconds, failed,
                               total.readSeconds / count, total.stagesSeconds / count,
                               total.emitSeconds / count);
  return 0;
}
