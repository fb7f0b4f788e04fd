// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compile runs in another thread (runtime/Interruptible.h). If Ctrl-C ends the wait, the compile
// ends after its current stage.

#include "Program.h"
#include "../runtime/Interruptible.h"
#include "DatumConversion.h"
#include "Driver/AddProblem.h"
#include "Driver/CompileModel.h"
#include "GivenValues.h"
#include "Pipeline/RunStages.h"
#include "Support/TemporaryFolder.h"
#include "convoy/convoy.h"
#include "io/InputData.h"
#include "io/Samples.h"
#include "report/Built.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <pybind11/stl.h>

namespace convoy::python {
namespace {

/// Ends a compile after the current stage once it is canceled.
class CancelObserver : public StageObserver {
public:
  bool endStage(mlir::ModuleOp module, const Stage &stage) override {
    if (isCanceled) {
      module.emitError("interrupted");
    }
    return !isCanceled;
  }

  std::atomic<bool> isCanceled{false};
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
  std::optional<Result<Artifact>> result;
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
    if (job->observer.isCanceled) {
      return;
    }
    py::gil_scoped_acquire lock;
    try {
      (py::handle(callback))(step.name, step.number, step.total);
    } catch (py::error_already_set &error) {
      job->progressError = std::move(error);
      job->observer.isCanceled = true;
    }
  };
}

Artifact runJob(const std::shared_ptr<CompileJob> &job, Problems &problems) {
  runInterruptibly([job] { job->run(); }, [job] { job->observer.isCanceled = true; });
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

void setOutput(const py::dict &values, const std::string &folder, OutputRequest &output) {
  output.folder = folder;
  setWord(values, "weights", output.weights,
          {{"linked", WeightsPlace::Linked}, {"file", WeightsPlace::File}});
  setWord(values, "loops", output.loops,
          {{"auto", SourceLoops::Target},
           {"vectors", SourceLoops::Vectors},
           {"plain", SourceLoops::Plain}});
  setWord(values, "io", output.io,
          {{"caller", IoPlace::Caller}, {"workspace", IoPlace::Arena}, {"rows", IoPlace::Rows}});
  output.limits.ramBytes = values["max_ram"].cast<int64_t>();
  output.limits.flashBytes = values["max_flash"].cast<int64_t>();
  if (auto name = values["name"].cast<std::string>(); !name.empty()) {
    output.name = name;
  }
}

/// Returns the data of a test bench. An input without data is random.
NamedTensors testInputs(const ModelRequest &wanted, driver::NamedData given, Problems &problems) {
  std::vector<io::InputInfo> random;
  for (io::InputInfo &input : io::dataInputs(wanted.model, wanted.request.inputs)) {
    if (!given.count(input.name)) {
      random.push_back(std::move(input));
    }
  }
  driver::NamedData data = io::readInputs({}, random, /*isRandomByDefault=*/true, problems);
  data.merge(given);
  return io::toNamedTensors(data, problems);
}

} // namespace

Program::Program(Artifact artifact, py::tuple inputs, py::tuple outputs, Problems problems)
    : artifact(std::move(artifact)), inputTensors(std::move(inputs)),
      outputTensors(std::move(outputs)), problems(std::move(problems)) {}

py::object Program::table() const {
  const convoy_model *table = artifact.memory->table();
  if (!table || artifact.memory->program().isConverted()) {
    // run() converts sequences, optionals and strings; the table has their tensors and indices.
    return py::none();
  }
  // The capsule owns a reference to the model.
  py::capsule capsule(table, "convoy_model", [](PyObject *object) {
    delete static_cast<std::shared_ptr<InMemoryModel> *>(PyCapsule_GetContext(object));
  });
  PyCapsule_SetContext(capsule.ptr(), new std::shared_ptr<InMemoryModel>(artifact.memory));
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
  job->model = artifact.memory;
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
    outputs[py::str(artifact.memory->outputNames()[i])] = toPython((**job->results)[i]);
  }
  return outputs;
}

std::string Program::summaryJson() const {
  return llvm::formatv("{0}", llvm::json::Value(report::builtToJson(artifact.report))).str();
}

std::unique_ptr<Program> compile(const BuildRequest &request, const py::object &progress) {
  Problems problems;
  auto job = std::make_shared<CompileJob>(request.complete(Emit::Memory, problems));
  showProgress(job, progress);
  Artifact artifact = runJob(job, problems);
  if (artifact.report.target.empty()) { // of the reference, which generates no code
    artifact.report.model = job->wanted.model.name();
    artifact.report.target = job->wanted.request.target.name;
  }
  py::tuple signature = request.signature();
  py::tuple inputs = selected(signature[0], artifact.memory->inputNames());
  return std::make_unique<Program>(std::move(artifact), inputs, signature[1], problems);
}

std::string writeFiles(const BuildRequest &request, const std::string &folder,
                       const py::dict &values, const py::object &inputs) {
  Problems problems;
  Emit emit = Emit::Library;
  setWord(values, "emit", emit,
          {{"library", Emit::Library}, {"c", Emit::Source}, {"program", Emit::Program}});
  auto job = std::make_shared<CompileJob>(request.complete(emit, problems));
  setOutput(values, folder, job->wanted.request.output);
  if (!inputs.is_none()) {
    job->wanted.request.output.testInputs =
        testInputs(job->wanted, toNamedData(inputs.cast<py::dict>()), problems);
  }
  runInterruptibly(
      [job] {
        std::lock_guard<std::mutex> lock(linkerMutex());
        job->run();
      },
      [job] { job->observer.isCanceled = true; });
  problems.append(job->result->problems());
  if (!*job->result) {
    raiseProblems(problems);
  }
  const ArtifactFiles &files = (*job->result)->files;
  return files.library.empty() && !files.programs.empty() ? files.programs.front() : files.library;
}

std::string schedulePage(const BuildRequest &request) {
  Problems problems;
  TemporaryFolder folder;
  addError(problems, folder.createInSystem());
  auto job = std::make_shared<CompileJob>(request.complete(Emit::Memory, problems));
  std::string path = folder.file("schedule.html");
  job->wanted.request.schedule.report = path;
  runJob(job, problems);
  auto page = llvm::MemoryBuffer::getFile(path);
  if (!page) {
    addUnsupported(problems, "not supported: target '" + job->wanted.request.target.name +
                                 "' has no schedule of threads to draw");
    raiseProblems(problems);
  }
  return (*page)->getBuffer().str();
}

std::mutex &linkerMutex() {
  static std::mutex mutex;
  return mutex;
}

} // namespace convoy::python
