// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs tuneModel, as `convoy tune` does.

#include "Search.h"
#include "Driver/AddProblem.h"
#include "Program.h"
#include "Verbs.h"
#include "tuning/network/NetworkTasks.h"
#include "tuning/network/ResultJson.h"
#include "tuning/network/TuneModel.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <deque>

namespace convoy::python {

/// What the thread of the search and Python share.
struct Search::State {
  State(ModelRequest wanted) : wanted(std::move(wanted)) {}

  void run() {
    Result<tuning::ModelTasks> tasks =
        tuning::networkTasks(wanted.model, wanted.request, /*spaceFile=*/"");
    problems.append(tasks.problems());
    if (!tasks || problems.hasErrors()) {
      return;
    }
    if (request.program.empty()) {
      return addError(problems, missingMeasureProgram());
    }
    taskCount = static_cast<int64_t>(tasks->tasks.size());
    request.compile = wanted.request;
    request.isInterrupted = [this] { return isCanceled.load(); };
    std::lock_guard<std::mutex> lock(linkerMutex());
    llvm::Expected<tuning::TuneResult> result = tuning::tuneModel(
        wanted.model, request, *tasks, [this](const tuning::TuneProgress &step) { add(step); });
    if (!result) {
      return addError(problems, result.takeError());
    }
    json = llvm::formatv("{0}", llvm::json::Value(tuning::toJson(*result, request))).str();
  }

  void add(const tuning::TuneProgress &step) {
    std::lock_guard<std::mutex> lock(mutex);
    steps.push_back(step);
    changed.notify_all();
  }
  void end() {
    std::lock_guard<std::mutex> lock(mutex);
    isEnded = true;
    changed.notify_all();
  }
  /// Waits for a step or the end, or until the time is over. Returns whether there is one.
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock<std::mutex> lock(mutex);
    return changed.wait_for(lock, time, [&] { return isEnded || !steps.empty(); });
  }

  ModelRequest wanted;
  tuning::TuneRequest request;
  std::atomic<bool> isCanceled{false};
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<tuning::TuneProgress> steps; // that Python has not taken yet
  bool isEnded = false;
  // Written before the end.
  int64_t taskCount = 0;
  Problems problems;
  std::string json;
};

Search::Search(const BuildRequest &request, const std::string &records, const std::string &program,
               const tuning::NetworkSearch &search) {
  Problems problems;
  state = std::make_shared<State>(request.complete(Emit::Library, problems));
  state->problems = problems;
  state->request.records = records;
  state->request.program = program;
  state->request.search = search;
  call = std::make_unique<BackgroundCall>([state = state] {
    state->run();
    state->end();
  });
}

Search::~Search() {
  cancel();
  BackgroundCall::abandon(std::move(call));
}

void Search::cancel() { state->isCanceled = true; }

py::object Search::next() {
  for (;;) {
    bool isReady = false;
    {
      py::gil_scoped_release release;
      isReady = state->wait(kPollInterval);
    }
    if (PyErr_CheckSignals() != 0) {
      cancel();
      throw py::error_already_set();
    }
    if (isReady) {
      break;
    }
  }
  std::lock_guard<std::mutex> lock(state->mutex);
  if (state->steps.empty()) {
    return py::none();
  }
  tuning::TuneProgress step = std::move(state->steps.front());
  state->steps.pop_front();
  py::object left = step.secondsLeft ? py::object(py::float_(*step.secondsLeft)) : py::none();
  return py::make_tuple(step.state.trials, step.state.failed, step.state.seconds, left,
                        state->taskCount, step.state.tasksTried, step.modelSeconds * 1e3,
                        step.state.estimateSeconds * 1e3, step.state.task);
}

std::string Search::result() const {
  if (state->problems.hasErrors()) {
    raiseProblems(state->problems);
  }
  return state->json;
}

} // namespace convoy::python
