// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the chainable interface, convoy/workflow.h. It only fills requests and calls
// compileModel. io/ opens folders of samples and tuning/ opens records; the steps receive both
// as functions.

#include "convoy/workflow.h"
#include "Driver/AddProblem.h"
#include "Driver/ResolveTarget.h"
#include "Import/ElementName.h"
#include "convoy/compiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy {
namespace {

/// Adds an error if the name is not an input of the model, in the words of `convoy run`.
void checkInput(const Model &model, llvm::StringRef name, Problems &problems) {
  std::vector<std::string> names;
  for (const TensorInfo &input : model.inputs()) {
    if (input.name == name) {
      return;
    }
    names.push_back("'" + input.name + "'");
  }
  addError(problems, "the model has no input '" + name + "'; it has " +
                         (names.empty() ? "none" : llvm::join(names, ", ")));
}

} // namespace

TensorData tensorOf(const std::vector<int64_t> &shape, std::vector<float> values) {
  TensorData tensor{ElementType::F32, shape, nullptr, {}};
  if (elementCountOf(shape) == static_cast<int64_t>(values.size())) {
    auto owner = std::make_shared<std::vector<float>>(std::move(values));
    tensor.bytes = std::shared_ptr<const void>(owner, owner->data());
  }
  return tensor;
}

struct CompiledModel::State {
  std::optional<Model> model;
  Artifact artifact;
  Problems problems;
};

CompiledModel::CompiledModel(const Model &model, Artifact artifact, Problems problems)
    : state(std::make_shared<State>(State{model, std::move(artifact), std::move(problems)})) {}
CompiledModel::CompiledModel(Problems problems)
    : state(std::make_shared<State>(State{std::nullopt, {}, std::move(problems)})) {}

CompiledModel::operator bool() const { return state->model.has_value(); }
const Problems &CompiledModel::problems() const { return state->problems; }
const Artifact &CompiledModel::artifact() const { return state->artifact; }

Result<NamedTensors> CompiledModel::run(const NamedTensors &inputs) const {
  Problems problems = state->problems;
  if (!state->model) {
    return problems;
  }
  InMemoryModel &memory = *state->artifact.memory;
  for (const auto &[name, value] : inputs) {
    checkInput(*state->model, name, problems);
  }
  for (const std::string &name : memory.inputNames()) {
    if (!inputs.count(name)) {
      addError(problems, "no data for input '" + name + "'; pass a tensor with this name to run");
    }
  }
  if (problems.hasErrors()) {
    return problems;
  }
  Result<std::vector<TensorData>> values = memory.run(inputs);
  problems.append(values.problems());
  if (!values) {
    return problems;
  }
  NamedTensors outputs;
  for (auto [name, value] : llvm::zip_equal(memory.outputNames(), *values)) {
    outputs[name] = std::move(value);
  }
  return Result<NamedTensors>(std::move(outputs), problems);
}

struct Workflow::State {
  std::optional<Model> model;
  CompileRequest request;
  SamplesOpener samples;
  RecordsOpener records;
  std::optional<TuneReport> tuned;
  Problems problems;

  /// Sets the samples and records of a request that is complete apart from them.
  void open(CompileRequest &wanted, Problems &found) const {
    if (records) {
      Result<std::shared_ptr<const Measurements>> opened = records(wanted);
      found.append(opened.problems());
      wanted.measurements = opened ? *opened : nullptr;
    }
    if (samples) {
      Result<std::shared_ptr<const SampleSource>> opened = samples(*model, wanted.inputs);
      found.append(opened.problems());
      wanted.calibration = opened ? *opened : nullptr;
    }
  }
};

Workflow::Workflow(const Result<Model> &model) {
  State first;
  first.problems = model.problems();
  if (model) {
    first.model = *model;
  }
  state = std::make_shared<State>(std::move(first));
}

Workflow Workflow::with(const std::function<void(CompileRequest &)> &change) const {
  auto next = std::make_shared<State>(*state);
  change(next->request);
  return Workflow(std::move(next));
}

Workflow Workflow::target(const std::string &name) const {
  auto next = std::make_shared<State>(*state);
  next->request.target.name = name;
  // write refuses the targets that only run in this process.
  llvm::Expected<driver::ResolvedTarget> found =
      driver::resolveTarget(next->request.target, /*isForMemory=*/true);
  if (!found) {
    addError(next->problems, found.takeError());
  }
  return Workflow(std::move(next));
}

Workflow Workflow::threads(int64_t count) const {
  return with([&](CompileRequest &request) { request.schedule.threads = count; });
}

Workflow Workflow::shape(const std::string &input, const std::vector<int64_t> &shape) const {
  auto next = std::make_shared<State>(*state);
  next->request.inputs.shapes[input] = shape;
  if (next->model) {
    // A name such as x[1] is a tensor of the sequence x, unless the model has an input x[1].
    std::string owner = import::ownerName(input);
    bool isElement = llvm::any_of(next->model->inputs(),
                                  [&](const TensorInfo &known) { return known.name == owner; });
    checkInput(*next->model, isElement ? owner : input, next->problems);
  }
  return Workflow(std::move(next));
}

Workflow Workflow::calibrate(SamplesOpener samples) const {
  auto next = std::make_shared<State>(*state);
  next->samples = std::move(samples);
  return Workflow(std::move(next));
}

Workflow Workflow::calibrate(std::shared_ptr<const SampleSource> samples) const {
  return calibrate([samples = std::move(samples)](const Model &, const InputPins &) {
    return Result<std::shared_ptr<const SampleSource>>(samples);
  });
}

Workflow Workflow::records(RecordsOpener records) const {
  auto next = std::make_shared<State>(*state);
  next->records = std::move(records);
  return Workflow(std::move(next));
}

Workflow Workflow::tune(const std::shared_ptr<Tuner> &tuner, const TuneBudget &budget) const {
  auto next = std::make_shared<State>(*state);
  if (!tuner) {
    addError(next->problems, "tune expects a tuner, got null; pass for example localTuner(FILE)");
    return Workflow(std::move(next));
  }
  // The tuner adds records, so the file of an earlier records step may not exist yet.
  next->records = tuner->records();
  State untuned = *state;
  untuned.records = nullptr;
  Result<ModelRequest> wanted =
      Workflow(std::make_shared<State>(std::move(untuned))).request(Emit::Library);
  next->problems.append(wanted.problems());
  if (wanted) {
    Result<TuneReport> report = tuner->tune(wanted->model, wanted->request, budget);
    next->problems.append(report.problems());
    next->tuned = report ? std::optional(*report) : std::nullopt;
  }
  return Workflow(std::move(next));
}

Result<ModelRequest> Workflow::request(Emit emit) const {
  Problems problems = state->problems;
  if (problems.hasErrors()) {
    return problems;
  }
  ModelRequest result{*state->model, state->request};
  result.request.output.emit = emit;
  state->open(result.request, problems);
  return problems.hasErrors() ? Result<ModelRequest>(problems)
                              : Result<ModelRequest>(std::move(result), problems);
}

CompiledModel Workflow::compile() const {
  Result<ModelRequest> wanted = request(Emit::Memory);
  if (!wanted) {
    return CompiledModel(wanted.problems());
  }
  Problems problems = wanted.problems();
  Result<Artifact> artifact = compileModel(wanted->model, wanted->request);
  problems.append(artifact.problems());
  return artifact ? CompiledModel(wanted->model, std::move(*artifact), problems)
                  : CompiledModel(problems);
}

Result<Artifact> Workflow::write(const std::string &folder, Emit emit) const {
  Result<ModelRequest> wanted = request(emit);
  if (!wanted) {
    return wanted.problems();
  }
  wanted->request.output.folder = folder;
  Problems problems = wanted.problems();
  Result<Artifact> artifact = compileModel(wanted->model, wanted->request);
  problems.append(artifact.problems());
  return artifact ? Result<Artifact>(std::move(*artifact), problems) : Result<Artifact>(problems);
}

const Problems &Workflow::problems() const { return state->problems; }
const std::optional<TuneReport> &Workflow::tuneReport() const { return state->tuned; }

Workflow load(const std::string &path) { return Workflow(Model::read(path)); }

} // namespace convoy
