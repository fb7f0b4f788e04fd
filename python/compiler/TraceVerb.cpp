// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the profile of a session: events that Python measured, and the kernels of one inference.

#include "../runtime/Interruptible.h"
#include "DatumConversion.h"
#include "Driver/AddProblem.h"
#include "Program.h"
#include "Support/TemporaryFolder.h"
#include "Verbs.h"
#include "timing/TraceModel.h"
#include <pybind11/stl.h>

namespace convoy::python {
namespace {

using timing::TraceRequest;

/// Returns the rows of the program's threads: [(thread, [(event, begin, end)])], in nanoseconds.
report::TraceProcess sessionOf(const py::list &rows) {
  report::TraceProcess session{"session", {}};
  for (py::handle row : rows) {
    auto [thread, events] =
        row.cast<std::pair<std::string, std::vector<std::tuple<std::string, int64_t, int64_t>>>>();
    report::TraceTrack &track = session.tracks.emplace_back();
    track.name = thread;
    for (const auto &[name, begin, end] : events) {
      track.events.push_back({name, "Session", begin, end});
    }
  }
  return session;
}

struct TraceJob {
  explicit TraceJob(ModelRequest wanted) : wanted(std::move(wanted)) {}

  ModelRequest wanted;
  NamedTensors inputs;
  std::string path, program;
  std::vector<report::TraceProcess> processes;
  std::atomic<bool> isCanceled{false};
  Problems problems;

  /// Adds the kernels of one inference. A target without probes leaves the events alone.
  void run() {
    if (llvm::Error error = timing::checkTraced(wanted.request.target)) {
      llvm::consumeError(std::move(error));
    } else {
      addKernels();
    }
    if (!problems.hasErrors()) {
      addError(problems, report::writeTrace(path, processes));
    }
  }

private:
  void addKernels() {
    TemporaryFolder folder;
    addError(problems, folder.createInSystem());
    if (program.empty()) {
      addError(problems, missingMeasureProgram());
    }
    if (problems.hasErrors()) {
      return;
    }
    TraceRequest request{wanted.request};
    request.inputs = inputs;
    timing::MeasureProgram measure(program, folder.path().str());
    measure.isInterrupted = [this] { return isCanceled.load(); };
    std::lock_guard<std::mutex> lock(linkerMutex());
    Result<timing::ModelTrace> traced =
        timing::traceModel(wanted.model, request, measure, folder.path().str());
    problems.append(traced.problems());
    if (traced) {
      processes.push_back(std::move(traced->process));
    }
  }
};

} // namespace

void writeTrace(const std::string &path, const py::list &rows) {
  if (llvm::Error error = report::writeTrace(path, sessionOf(rows))) {
    Problems problems;
    addError(problems, std::move(error));
    raiseProblems(problems);
  }
}

void trace(const BuildRequest &request, const py::dict &inputs, const std::string &path,
           const std::string &program, const py::list &rows) {
  Problems problems;
  auto job = std::make_shared<TraceJob>(request.complete(Emit::Library, problems));
  job->inputs = toNamedTensors(inputs);
  job->path = path;
  job->program = program;
  job->processes.push_back(sessionOf(rows));
  runInterruptibly([job] { job->run(); }, [job] { job->isCanceled = true; });
  if (job->problems.hasErrors()) {
    raiseProblems(job->problems);
  }
}

} // namespace convoy::python
