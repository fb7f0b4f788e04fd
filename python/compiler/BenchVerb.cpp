// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench: compiles a model for each number of threads and measures it as `convoy bench` does.

#include "../runtime/Interruptible.h"
#include "Driver/AddProblem.h"
#include "Program.h"
#include "Verbs.h"
#include "timing/Bench.h"
#include <atomic>

namespace convoy::python {
namespace {

/// A benchmark that may outlive the function that started it.
class BenchJob {
public:
  std::vector<std::pair<std::string, ModelRequest>> models; // with the path of the file
  int64_t samples = 30;
  bool hasLayers = false, isHot = false;
  std::string program; // convoy-measure
  std::atomic<bool> isCancelled{false};
  Problems problems;
  std::string json;

  void run() {
    if (llvm::Error error = measure()) {
      addError(problems, std::move(error));
    }
  }

private:
  timing::BenchOptions options() {
    timing::BenchOptions options;
    options.samples = samples;
    options.hasLayers = hasLayers;
    options.isHot = isHot;
    options.isInterrupted = [this] { return isCancelled.load(); };
    options.findProgram = [this]() -> llvm::Expected<std::string> {
      if (program.empty()) {
        return llvm::createStringError("the program convoy-measure was not found beside the "
                                       "package and on PATH; install Convoy again");
      }
      return program;
    };
    return options;
  }

  llvm::Error measure() {
    const TargetRequest &target = models.front().second.request.target;
    llvm::Expected<driver::ResolvedTarget> found =
        driver::resolveTarget(target, /*isForMemory=*/false);
    if (!found) {
      return found.takeError();
    }
    llvm::Expected<std::unique_ptr<timing::Bench>> bench = timing::benchFor(*found, options());
    if (!bench) {
      return bench.takeError();
    }
    std::lock_guard<std::mutex> lock(linkerMutex());
    if (llvm::Error error = (*bench)->prepare()) {
      return error;
    }
    for (const auto &[path, wanted] : models) {
      problems.append((*bench)->build({path, wanted.model, wanted.request}));
      if (problems.hasErrors() || isCancelled) {
        return llvm::Error::success();
      }
      problems.append((*bench)->measure());
      if (problems.hasErrors() || isCancelled) {
        return llvm::Error::success();
      }
    }
    json = (*bench)->json();
    return llvm::Error::success();
  }
};

} // namespace

std::string bench(const std::vector<const BuildRequest *> &requests, int64_t samples,
                  bool hasLayers, bool isHot, const std::string &program) {
  auto job = std::make_shared<BenchJob>();
  for (const BuildRequest *request : requests) {
    job->models.emplace_back(request->path(), request->complete(Emit::Library, job->problems));
  }
  job->samples = samples;
  job->hasLayers = hasLayers;
  job->isHot = isHot;
  job->program = program;
  runInterruptibly([job] { job->run(); }, [job] { job->isCancelled = true; });
  if (job->problems.hasErrors()) {
    raiseProblems(job->problems);
  }
  return job->json;
}

} // namespace convoy::python
