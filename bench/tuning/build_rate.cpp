// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many candidates a second the build stage makes, and where its time goes:
//
//     convoy tune --list-tasks MODEL --json > tasks.json
//     tuning_build_rate tasks.json [samples per task] [processes]

#include "Pipeline/TargetOptions.h"
#include "tuning/build/BuildCandidate.h"
#include "tuning/space/TaskSpace.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>
#include <sys/wait.h>
#include <unistd.h>

using namespace convoy;
using namespace convoy::tuning;

namespace {

struct Candidate {
  Task task;
  Configuration configuration;
};

llvm::Expected<std::vector<Task>> readTasks(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    return llvm::createStringError(path + ": " + buffer.getError().message());
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) {
    return value.takeError();
  }
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *list = object ? object->getArray("tasks") : nullptr;
  std::vector<Task> tasks;
  for (const llvm::json::Value &entry : list ? *list : llvm::json::Array()) {
    const llvm::json::Object *task = entry.getAsObject();
    if (!task || !task->getString("text") || !task->getString("name")) {
      return llvm::createStringError(path + ": no list of tasks with text and name");
    }
    tasks.push_back({task->getString("text")->str(), task->getString("name")->str()});
  }
  return tasks;
}

/// Entries of the task's space, evenly spread over its order.
void sample(const Task &task, const targets::Target &target, size_t count,
            std::vector<Candidate> &candidates) {
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

/// Builds every `step`-th candidate and writes the sums of times to a pipe.
void buildShare(const std::vector<Candidate> &candidates, size_t first, size_t step,
                const BuildOptions &options, int pipe) {
  double sums[4] = {0, 0, 0, 0};
  for (size_t i = first; i < candidates.size(); i += step) {
    auto built = buildCandidate(candidates[i].task, candidates[i].configuration, options,
                                "candidate" + std::to_string(i));
    if (!built) {
      llvm::errs() << candidates[i].configuration.text << ": " << llvm::toString(built.takeError())
                   << "\n";
      sums[3] += 1;
      continue;
    }
    sums[0] += built->times.readSeconds;
    sums[1] += built->times.stagesSeconds;
    sums[2] += built->times.emitSeconds;
    llvm::sys::fs::remove(built->files.library);
  }
  if (write(pipe, sums, sizeof(sums)) != sizeof(sums)) {
    _exit(1);
  }
  _exit(0);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: tuning_build_rate TASKS.json [SAMPLES] [PROCESSES]\n";
    return 1;
  }
  llvm::Expected<std::vector<Task>> tasks = readTasks(argv[1]);
  if (!tasks) {
    llvm::errs() << "error: " << llvm::toString(tasks.takeError()) << "\n";
    return 1;
  }
  size_t samples = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 4;
  size_t processes = argc > 3 ? std::max(std::strtoul(argv[3], nullptr, 10), 1ul) : 2;
  BuildOptions options{targets::detectHost(), ""};
  std::vector<Candidate> candidates;
  for (const Task &task : *tasks) {
    sample(task, options.target, samples, candidates);
  }
  llvm::SmallString<64> folder;
  if (llvm::sys::fs::createUniqueDirectory("build-rate", folder)) {
    llvm::errs() << "error: no temporary folder\n";
    return 1;
  }
  options.directory = folder.str().str();
  auto start = std::chrono::steady_clock::now();
  std::vector<int> pipes;
  for (size_t p = 0; p < processes; ++p) {
    int ends[2];
    if (pipe(ends) != 0) {
      return 1;
    }
    if (fork() == 0) {
      buildShare(candidates, p, processes, options, ends[1]);
    }
    close(ends[1]);
    pipes.push_back(ends[0]);
  }
  double total[4] = {0, 0, 0, 0};
  for (int end : pipes) {
    double sums[4];
    if (read(end, sums, sizeof(sums)) == sizeof(sums)) {
      for (int i = 0; i < 4; ++i) {
        total[i] += sums[i];
      }
    }
  }
  while (wait(nullptr) > 0) {
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  llvm::sys::fs::remove_directories(folder);
  auto count = static_cast<double>(candidates.size());
  llvm::outs() << llvm::format("%zu candidates in %.1f s, %.1f per second, %.0f failed\n"
                               "each: task %.3f s, stages %.3f s, code and library %.3f s\n",
                               candidates.size(), seconds, count / seconds, total[3],
                               total[0] / count, total[1] / count, total[2] / count);
  return 0;
}
