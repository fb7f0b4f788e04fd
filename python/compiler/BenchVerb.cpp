// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench: compiles a model for each number of threads and measures it in separate processes.

#include "../runtime/Interruptible.h"
#include "Driver/AddProblem.h"
#include "Driver/ResolveTarget.h"
#include "Program.h"
#include "Support/TemporaryFolder.h"
#include "Verbs.h"
#include "timing/BenchDevice.h"
#include "timing/BenchModel.h"
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
    const TargetRequest &target = models.front().second.request.target;
    llvm::Expected<driver::ResolvedTarget> found =
        driver::resolveTarget(target, /*isForMemory=*/false);
    if (!found) {
      return addError(problems, found.takeError());
    }
    if (found->device) {
      return measureDevice();
    }
    std::lock_guard<std::mutex> lock(linkerMutex());
    if (llvm::Error error = prepare(*found)) {
      return addError(problems, std::move(error));
    }
    measureAll();
  }

private:
  llvm::Error prepare(const driver::ResolvedTarget &target) {
    if (program.empty()) {
      return llvm::createStringError("the program convoy-measure was not found beside the package "
                                     "and on PATH; install Convoy again");
    }
    if (llvm::Error error = scratch.createInSystem()) {
      return error;
    }
    setup.folder = scratch.path().str();
    setup.measureProgram = timing::MeasureProgram(program, setup.folder);
    setup.measureProgram.isInterrupted = [this] { return isCancelled.load(); };
    llvm::Expected<timing::PeakLibrary> peak =
        timing::writePeakLibrary(target.machine, setup.folder);
    if (!peak) {
      return peak.takeError();
    }
    setup.peak = std::move(*peak);
    return llvm::Error::success();
  }

  void measureAll() {
    std::vector<timing::BenchRow> rows;
    std::vector<timing::LayerReport> layers;
    for (const auto &[path, wanted] : models) {
      if (isCancelled || problems.hasErrors()) {
        return;
      }
      timing::BenchRequest request;
      request.path = path;
      request.compile = wanted.request;
      request.samples = samples;
      request.hasLayers = hasLayers;
      request.isHot = isHot;
      timing::BenchModel model(std::move(request), setup);
      problems.append(model.build(wanted.model));
      if (problems.hasErrors() || isCancelled) {
        return;
      }
      hasLayers ? keep(model.measureLayers(), layers) : keep(model.measure(), rows);
    }
    json = hasLayers ? timing::toJson(layers) : timing::toJson(rows);
  }

  template <typename Row>
  void keep(llvm::Expected<Row> row, std::vector<Row> &list) {
    if (row) {
      list.push_back(std::move(*row));
    } else {
      addError(problems, row.takeError());
    }
  }

  void measureDevice() {
    std::vector<timing::DeviceRow> rows;
    for (const auto &[path, wanted] : models) {
      Result<timing::DeviceRow> row = timing::benchDevice(wanted.model, wanted.request, samples);
      problems.append(row.problems());
      if (row) {
        rows.push_back(std::move(*row));
      }
    }
    json = timing::toJson(rows);
  }

  TemporaryFolder scratch;
  timing::BenchSetup setup;
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
