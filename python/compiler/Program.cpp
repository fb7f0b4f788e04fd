// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compile runs in another thread (runtime/Interruptible.h). If Ctrl-C ends the wait, the compile
// ends after its current stage.

#include "Program.h"
#include "../runtime/Interruptible.h"
#include "DatumConversion.h"
#include "Driver/CompileModel.h"
#include "Pipeline/RunStages.h"
#include "convoy/convoy.h"
#include "report/Built.h"
#include "llvm/Support/FormatVariadic.h"
#include <pybind11/stl.h>

namespace convoy::python {
namespace {

/// Ends a compile after the current stage once it is cancelled.
class CancelObserver : public StageObserver {
public:
  bool endStage(mlir::ModuleOp module, const Stage &stage) override {
    if (isCancelled) {
      module.emitError("interrupted");
    }
    return !isCancelled;
  }

  std::atomic<bool> isCancelled{false};
};

/// A compile that may outlive the function that started it.
struct CompileJob {
  CompileJob(ModelRequest wanted) : wanted(std::move(wanted)) {}

  void run() {
    driver::CompileHooks hooks;
    hooks.observer = &observer;
    result = driver::compileModel(wanted.model, wanted.request, hooks);
  }

  ModelRequest wanted;
  CancelObserver observer;
  KeptObjects kept;
  std::optional<py::error_already_set> progressError; // of the callback
  std::optional<Result<Artefact>> result;
};

/// Calls Python when a step begins. An exception of the callback cancels the compile.
void showProgress(const std::shared_ptr<CompileJob> &job, const py::object &progress) {
  if (progress.is_none()) {
    return;
  }
  job->kept.add(progress);
  // A pointer: the request must not own the job that owns it.
  job->wanted.request.progress = [job = job.get(),
                                  callback = progress.ptr()](const CompileStep &step) {
    if (job->observer.isCancelled) {
      return;
    }
    py::gil_scoped_acquire lock;
    try {
      (py::handle(callback))(step.name, step.number, step.total);
    } catch (py::error_already_set &error) {
      job->progressError = std::move(error);
      job->observer.isCancelled = true;
    }
  };
}

Artefact runJob(const std::shared_ptr<CompileJob> &job, Problems &problems) {
  runInterruptibly([job] { job->run(); }, [job] { job->observer.isCancelled = true; });
  if (job->progressError) {
    py::error_already_set error = std::move(*job->progressError);
    job->progressError.reset();
    throw std::move(error);
  }
  problems.append(job->result->problems());
  if (!*job->result) {
    raiseProblems(problems);
  }
  return std::move(**job->result);
}

/// Returns the tensors with the given names.
py::tuple selected(const py::tuple &tensors, const std::vector<std::string> &names) {
  py::list list;
  for (py::handle tensor : tensors) {
    if (std::find(names.begin(), names.end(), tensor.attr("name").cast<std::string>()) !=
        names.end()) {
      list.append(tensor);
    }
  }
  return py::tuple(list);
}

} // namespace

Program::Program(Artefact artefact, py::tuple inputs, py::tuple outputs, Problems problems)
    : artefact(std::move(artefact)), inputTensors(std::move(inputs)),
      outputTensors(std::move(outputs)), problems(std::move(problems)) {}

py::object Program::table() const {
  const convoy_model *table = artefact.memory->table();
  if (!table || artefact.memory->program().hasCollections()) {
    return py::none(); // run() converts sequences and optionals; the table has their tensors
  }
  // The capsule owns a reference to the model.
  py::capsule capsule(table, "convoy_model", [](PyObject *object) {
    delete static_cast<std::shared_ptr<InMemoryModel> *>(PyCapsule_GetContext(object));
  });
  PyCapsule_SetContext(capsule.ptr(), new std::shared_ptr<InMemoryModel>(artefact.memory));
  return std::move(capsule);
}

py::dict Program::run(const py::dict &values) const {
  struct Job {
    std::shared_ptr<InMemoryModel> model;
    std::shared_ptr<std::mutex> mutex;
    driver::NamedData inputs;
    std::optional<Result<std::vector<driver::Datum>>> results;
  };
  auto job = std::make_shared<Job>();
  job->model = artefact.memory;
  job->mutex = mutex;
  job->inputs = toNamedData(values);
  runInterruptibly([job] {
    std::lock_guard<std::mutex> lock(*job->mutex);
    job->results = job->model->program().run(job->inputs);
  });
  if (!*job->results) {
    raiseProblems(job->results->problems());
  }
  py::dict outputs;
  for (size_t i = 0; i < (*job->results)->size(); ++i) {
    outputs[py::str(artefact.memory->outputNames()[i])] = toPython((**job->results)[i]);
  }
  return outputs;
}

std::string Program::summaryJson() const {
  return llvm::formatv("{0}", llvm::json::Value(report::builtToJson(artefact.report))).str();
}

std::unique_ptr<Program> compile(const BuildRequest &request, const py::object &progress) {
  Problems problems;
  auto job = std::make_shared<CompileJob>(request.complete(Emit::Memory, problems));
  showProgress(job, progress);
  Artefact artefact = runJob(job, problems);
  if (artefact.report.target.empty()) { // of the reference, which generates no code
    artefact.report.model = job->wanted.model.name();
    artefact.report.target = job->wanted.request.target.name;
  }
  py::tuple signature = request.signature();
  py::tuple inputs = selected(signature[0], artefact.memory->inputNames());
  return std::make_unique<Program>(std::move(artefact), inputs, signature[1], problems);
}

std::string writeFiles(const BuildRequest &request, const std::string &folder,
                       const std::string &name, bool hasWeightsFile, bool emitsC) {
  Problems problems;
  auto job = std::make_shared<CompileJob>(
      request.complete(emitsC ? Emit::Source : Emit::Library, problems));
  OutputRequest &output = job->wanted.request.output;
  output.folder = folder;
  output.weights = hasWeightsFile ? WeightsPlace::File : WeightsPlace::Linked;
  if (!name.empty()) {
    output.name = name;
  }
  runInterruptibly(
      [job] {
        std::lock_guard<std::mutex> lock(linkerMutex());
        job->run();
      },
      [job] { job->observer.isCancelled = true; });
  problems.append(job->result->problems());
  if (!*job->result) {
    raiseProblems(problems);
  }
  return (*job->result)->files.library;
}

std::mutex &linkerMutex() {
  static std::mutex mutex;
  return mutex;
}

} // namespace convoy::python
