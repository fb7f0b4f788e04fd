// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sweep: simulates a model on each combination of a device's parameters, as `convoy sweep` does.

#include "../runtime/Interruptible.h"
#include "Driver/AddProblem.h"
#include "Verbs.h"
#include "io/Files.h"
#include "timing/SweepModel.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <pybind11/stl.h>

namespace convoy::python {
namespace {

/// A sweep that may outlive the function that started it.
class SweepJob {
public:
  explicit SweepJob(ModelRequest wanted) : model(std::move(wanted.model)) {
    request.compile = std::move(wanted.request);
    request.axes = timing::sweepAxes();
    request.isInterrupted = [this] { return isCanceled.load(); };
  }
  SweepJob(const SweepJob &) = delete;
  SweepJob &operator=(const SweepJob &) = delete;

  void run() {
    Result<report::SweepResult> result = timing::sweepModel(model, request);
    problems.append(result.problems());
    if (!result) {
      return;
    }
    json = llvm::formatv("{0}", report::toJson(*result)).str();
    if (!page.empty()) {
      addError(problems, withPrefix("--report: ", io::writeFile(page, report::drawHtml(*result))));
    }
  }

  Model model;
  timing::SweepRequest request;
  std::string page; // empty: none
  std::atomic<bool> isCanceled{false};
  Problems problems;
  std::string json;
};

} // namespace

std::string sweep(const BuildRequest &request, const py::dict &axes,
                  const std::vector<std::string> &devices, const std::string &page) {
  Problems problems;
  auto job = std::make_shared<SweepJob>(request.complete(Emit::Library, problems));
  job->problems = problems;
  job->page = page;
  job->request.devices = devices;
  for (report::SweepAxis &axis : job->request.axes) {
    axis.values = axes[py::str(axis.flag)].cast<std::vector<std::string>>();
  }
  runInterruptibly([job] { job->run(); }, [job] { job->isCanceled = true; });
  if (job->problems.hasErrors()) {
    raiseProblems(job->problems);
  }
  return job->json;
}

} // namespace convoy::python
