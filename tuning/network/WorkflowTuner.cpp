// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy/local_tuner.h with tuneModel, as `convoy tune` does.

#include "Driver/AddProblem.h"
#include "convoy/local_tuner.h"
#include "convoy/workflow.h"
#include "timing/MeasureProgram.h"
#include "tuning/network/NetworkTasks.h"
#include "tuning/network/TuneModel.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <atomic>
#include <dlfcn.h>

namespace convoy {
namespace {

namespace path = llvm::sys::path;

/// Returns bin/convoy-measure of the prefix that contains this library.
std::string installedMeasureProgram() {
  Dl_info info;
  static const char kInside = 0;
  if (dladdr(&kInside, &info) == 0 || !info.dli_fname) {
    return "";
  }
  llvm::SmallString<256> file(info.dli_fname);
  path::remove_filename(file);
  path::append(file, "..", "bin", "convoy-measure");
  return file.str().str();
}

llvm::Expected<std::string> findMeasureProgram(const std::string &given) {
  if (!given.empty()) {
    return llvm::sys::fs::can_execute(given)
               ? llvm::Expected<std::string>(given)
               : llvm::createStringError("cannot execute '" + given +
                                         "'; pass the path of convoy-measure");
  }
  llvm::Expected<std::string> beside = timing::findMeasureProgram();
  if (beside) {
    return beside;
  }
  if (std::string installed = installedMeasureProgram(); llvm::sys::fs::can_execute(installed)) {
    llvm::consumeError(beside.takeError());
    return installed;
  }
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("convoy-measure")) {
    llvm::consumeError(beside.takeError());
    return *found;
  }
  return beside.takeError();
}

TuneReport reportOf(const tuning::TuneResult &result) {
  TuneReport report;
  report.trials = result.state.trials;
  report.failed = result.state.failed;
  report.seconds = result.state.seconds;
  report.isInterrupted = result.isInterrupted;
  report.isCounted = result.policy == tuning::Policy::Instructions;
  if (result.network && result.network->isChanged) {
    report.beforeMs = result.network->beforeMs;
    report.afterMs = result.network->afterMs;
  }
  return report;
}

class WorkflowTuner : public Tuner {
public:
  explicit WorkflowTuner(LocalTunerOptions options) : options(std::move(options)) {}

  RecordsOpener records() const override { return recordsIn(options.records); }

  Result<TuneReport> tune(const Model &model, const CompileRequest &request,
                          const TuneBudget &budget) override {
    Problems problems;
    if (options.records.empty()) {
      addError(problems, "localTuner expects a file for its records, got an empty path");
      return problems;
    }
    Result<tuning::ModelTasks> tasks = tuning::networkTasks(model, request, /*spaceFile=*/"");
    problems.append(tasks.problems());
    llvm::Expected<std::string> program = findMeasureProgram(options.measureProgram);
    if (!program) {
      addError(problems, program.takeError());
    }
    if (problems.hasErrors()) {
      return problems;
    }
    std::atomic<bool> isEnded = false; // the thread that measures reads it too
    tuning::TuneRequest wanted = requestOf(request, budget);
    wanted.program = std::move(*program);
    wanted.isInterrupted = [&] { return isEnded.load(); };
    llvm::Expected<tuning::TuneResult> result =
        tuning::tuneModel(model, wanted, *tasks, [&](const tuning::TuneProgress &at) {
          isEnded = budget.progress && !budget.progress({at.state.trials, at.modelSeconds * 1e3,
                                                         at.state.estimateSeconds * 1e3});
        });
    if (!result) {
      addError(problems, result.takeError());
      return problems;
    }
    return Result<TuneReport>(reportOf(*result), problems);
  }

private:
  tuning::TuneRequest requestOf(const CompileRequest &request, const TuneBudget &budget) const {
    tuning::TuneRequest wanted;
    wanted.compile = request;
    wanted.records = options.records;
    wanted.search.trials = budget.trials;
    wanted.search.seconds = budget.seconds;
    wanted.search.targetMs = budget.targetMs;
    wanted.search.timeoutMs = options.timeoutMs;
    wanted.search.waitSeconds = options.waitSeconds;
    wanted.search.seed = options.seed;
    wanted.say = options.say;
    return wanted;
  }

  LocalTunerOptions options;
};

} // namespace

std::shared_ptr<Tuner> localTuner(LocalTunerOptions options) {
  return std::make_shared<WorkflowTuner>(std::move(options));
}

std::shared_ptr<Tuner> localTuner(const std::string &records) {
  LocalTunerOptions options;
  options.records = records;
  return localTuner(std::move(options));
}

} // namespace convoy
