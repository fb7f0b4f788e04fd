// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench: compiles a model for each number of threads and measures it as `convoy bench` does.

#include "../runtime/Interruptible.h"
#include "DataSets.h"
#include "DatumConversion.h"
#include "Driver/AddProblem.h"
#include "Program.h"
#include "Verbs.h"
#include "timing/Bench.h"
#include <atomic>
#include <pybind11/stl.h>

namespace convoy::python {
namespace {

/// A benchmark that may outlive the function that started it.
class BenchJob {
public:
  std::vector<std::pair<std::string, ModelRequest>> models; // with the path of the file
  timing::BenchOptions options;
  NamedTensors inputs;
  std::string program; // convoy-measure
  std::atomic<bool> isCanceled{false};
  Problems problems;
  std::string json;

  void run() {
    if (llvm::Error error = measure()) {
      addError(problems, std::move(error));
    }
  }

private:
  /// Sets what refers to this object.
  void setFunctions() {
    options.isInterrupted = [this] { return isCanceled.load(); };
    options.findProgram = [this]() -> llvm::Expected<std::string> {
      if (program.empty()) {
        return llvm::createStringError(missingMeasureProgram());
      }
      return program;
    };
  }

  llvm::Error measure() {
    const TargetRequest &target = models.front().second.request.target;
    llvm::Expected<driver::ResolvedTarget> found =
        driver::resolveTarget(target, /*isForMemory=*/false);
    if (!found) {
      return found.takeError();
    }
    setFunctions();
    llvm::Expected<std::unique_ptr<timing::Bench>> bench = timing::benchFor(*found, options);
    if (!bench) {
      return bench.takeError();
    }
    problems.append((*bench)->check());
    if (problems.hasErrors()) {
      return llvm::Error::success();
    }
    std::lock_guard<std::mutex> lock(linkerMutex());
    if (llvm::Error error = (*bench)->prepare()) {
      return error;
    }
    for (const auto &[path, wanted] : models) {
      problems.append((*bench)->build({path, wanted.model, wanted.request, inputs}));
      if (problems.hasErrors() || isCanceled) {
        return llvm::Error::success();
      }
      problems.append((*bench)->measure());
      if (problems.hasErrors() || isCanceled) {
        return llvm::Error::success();
      }
    }
    json = (*bench)->json();
    problems.append((*bench)->judge());
    return (*bench)->writeFiles();
  }
};

timing::BenchOptions optionsOf(const py::dict &values) {
  timing::BenchOptions options;
  options.threads = values["threads"].cast<std::vector<int64_t>>();
  options.samples = values["samples"].cast<int64_t>();
  options.hasLayers = values["layers"].cast<bool>();
  options.isHot = values["hot"].cast<bool>();
  options.hasPeer = values["has_peer"].cast<bool>();
  options.peerLibrary = values["peer_library"].cast<std::string>();
  options.streams = values["streams"].cast<int64_t>();
  options.trace = values["trace"].cast<std::string>();
  options.folder = values["output"].cast<std::string>();
  options.report = values["report"].cast<std::string>();
  return options;
}

/// Reads the first sample of a data set.
NamedTensors firstSample(const io::Dataset &data, Problems &problems) {
  Result<NamedTensors> sample = data.read(0);
  problems.append(sample.problems());
  return sample ? std::move(*sample) : NamedTensors();
}

} // namespace

std::string missingMeasureProgram() {
  return "the program convoy-measure was not found beside the package and on PATH; install Convoy "
         "again";
}

std::string bench(const std::vector<const BuildRequest *> &requests, const py::dict &values,
                  const py::dict &inputs, const py::object &data, const std::string &program) {
  auto job = std::make_shared<BenchJob>();
  job->options = optionsOf(values);
  job->options.hasInputs = !inputs.empty();
  job->options.hasData = !data.is_none();
  job->program = program;
  job->inputs = toNamedTensors(inputs);
  for (const BuildRequest *request : requests) {
    ModelRequest wanted = request->complete(Emit::Library, job->problems);
    if (!data.is_none() && job->inputs.empty()) {
      if (auto samples = openData(data, wanted, *request, "--data", job->problems)) {
        job->inputs = firstSample(*samples, job->problems);
      }
    }
    for (const auto &[name, tensor] : job->inputs) {
      wanted.request.inputs.shapes.try_emplace(name, tensor.shape);
    }
    job->models.emplace_back(request->path(), std::move(wanted));
  }
  if (job->problems.hasErrors()) {
    raiseProblems(job->problems);
  }
  runInterruptibly([job] { job->run(); }, [job] { job->isCanceled = true; });
  if (job->problems.hasErrors()) {
    raiseProblems(job->problems);
  }
  return job->json;
}

} // namespace convoy::python
