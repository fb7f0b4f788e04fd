// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps from a model file to its outputs as one expression:
//
//     #include <convoy/workflow.h>
//
//     convoy::Result<convoy::NamedTensors> outputs = convoy::load("model.onnx")
//         .target("host")
//         .threads(1)
//         .calibrate("samples/")
//         .records("tune.db")
//         .compile()
//         .run({{"x", convoy::tensorOf({1, 3}, {1, 2, 3})}});
//
// A step returns a new object and does not change its own, so that one object can be the start
// of several expressions. Copies share their data. A step that fails adds its problems to the
// object. After an error, tune, compile, write and run do nothing, and the last result lists
// the problems of all steps. There are no exceptions.
//
// Each step sets members of a CompileRequest, and compileModel of convoy/compiler.h compiles
// it. `convoy` uses the same objects.

#pragma once

#include "convoy/artifact.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include "convoy/result.h"
#include "convoy/tensor.h"
#include "convoy/tuner.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

/// Opens calibration samples. The samples depend on the inputs of the model and their shapes,
/// so they are opened when the request is complete.
using SamplesOpener =
    std::function<Result<std::shared_ptr<const SampleSource>>(const Model &, const InputPins &)>;

/// Returns the samples in a folder, as `convoy compile --calibrate FOLDER` reads them: one file
/// or one folder of input_N.pb per sample.
CONVOY_API SamplesOpener samplesIn(const std::string &folder);
/// Returns the tuning records in a file, as `convoy compile --records FILE` reads them.
CONVOY_API RecordsOpener recordsIn(const std::string &file);

/// Returns a tensor of floats. If the number of values is not the number of elements of the
/// shape, the tensor has no bytes, and every use of it is an error.
CONVOY_API TensorData tensorOf(const std::vector<int64_t> &shape, std::vector<float> values);

/// A model in this process, or the problems of the steps before. Copies share the model; only
/// one thread at a time may run it.
class CONVOY_API CompiledModel {
public:
  CompiledModel(const Model &model, Artifact artifact, Problems problems);
  explicit CompiledModel(Problems problems);

  /// Runs the model on values by input name. Returns the outputs by name. Names that the model
  /// does not have and missing inputs are errors.
  Result<NamedTensors> run(const NamedTensors &inputs) const;

  /// Returns whether there is a model.
  explicit operator bool() const;
  const Problems &problems() const;
  /// Returns the model and its summary; only if there is a model.
  const Artifact &artifact() const;
  /// The spelling of 0.2; version 0.4 removes it.
  [[deprecated("use artifact()")]] const Artifact &artefact() const { return artifact(); }

private:
  struct State;
  std::shared_ptr<const State> state;
};

/// A model and the request to compile it; the arguments of compileModel.
struct ModelRequest {
  Model model;
  CompileRequest request;
};

/// A loaded model and the settings of its compile, or the problems of the steps so far.
class CONVOY_API Workflow {
public:
  explicit Workflow(const Result<Model> &model);

  /// Sets the target, as `--target` does, and checks its name.
  Workflow target(const std::string &name) const;
  /// Sets the threads of an inference; 0: one per core of the target.
  Workflow threads(int64_t count) const;
  /// Sets the shape of an input. The name must be an input of the model.
  Workflow shape(const std::string &input, const std::vector<int64_t> &shape) const;
  /// Quantizes the model to 8 bits with samples. compile, write and tune open the samples.
  Workflow calibrate(SamplesOpener samples) const;
  Workflow calibrate(std::shared_ptr<const SampleSource> samples) const;
  Workflow calibrate(const std::string &folder) const { return calibrate(samplesIn(folder)); }
  /// Chooses kernels by records. compile and write open the records that match the target.
  Workflow records(RecordsOpener records) const;
  Workflow records(const std::string &file) const { return records(recordsIn(file)); }
  /// Changes any member of the request.
  Workflow with(const std::function<void(CompileRequest &)> &change) const;

  /// Tunes the model for the settings so far, now, and chooses kernels by the tuner's records.
  Workflow tune(const std::shared_ptr<Tuner> &tuner, const TuneBudget &budget = {}) const;

  /// Compiles the model into this process.
  CompiledModel compile() const;
  /// Writes files to a folder: a library, or C source with Emit::Source.
  Result<Artifact> write(const std::string &folder, Emit emit = Emit::Library) const;

  /// Opens the samples and records and returns the arguments of compileModel.
  Result<ModelRequest> request(Emit emit) const;

  /// Returns whether no step has failed so far.
  explicit operator bool() const { return !problems().hasErrors(); }
  const Problems &problems() const;
  /// Returns the result of the last search; nothing before tune.
  const std::optional<TuneReport> &tuneReport() const;

private:
  struct State;
  explicit Workflow(std::shared_ptr<const State> state) : state(std::move(state)) {}

  std::shared_ptr<const State> state;
};

/// Reads a model file and starts a workflow.
CONVOY_API Workflow load(const std::string &path);

} // namespace convoy
