// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one test: reads the data, imports the model with the shapes of the data, compiles, runs
// and compares. On a target that needs static shapes, inputs whose value determines a shape
// become constants, but only if the model is not static without that.

#include "RunTest.h"
#include "Driver/ImportRequested.h"
#include "Driver/LoadedProgram.h"
#include "Driver/TensorConversion.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "check/rules/OutputError.h"
#include "convoy/compiler.h"
#include "io/InputData.h"
#include "io/OnnxData.h"
#include <algorithm>
#include <cstdlib>

using namespace mlir;

namespace convoy::conformance {
namespace {

using driver::Datum;
using driver::NamedData;

// The tolerance of ONNX's own runner for node tests.
constexpr check::Tolerance kTolerance{1e-3, 1e-7};
// Each result of a Fourier transform is a sum of all inputs, so its rounding error is relative to
// the largest result. ONNX's tests of inverse transforms expect results near zero.
constexpr check::Tolerance kFourierTolerance{1e-3, 1e-6};
// ONNX defines no generator, and its tests of Bernoulli state that an implementation may draw other
// numbers. All are 0 or 1, so they differ by at most 1.
constexpr check::Tolerance kDrawnTolerance{0, 1};

// An input with more elements or a higher rank is data and stays an input.
constexpr int64_t kMaxBoundElems = 64;
constexpr int64_t kMaxBoundRank = 1;

struct Data {
  NamedData inputs;
  std::vector<Datum> outputs;
};

/// The input of ONNX's light models: ascending numbers.
llvm::Expected<Datum> ramp(const TensorInfo &input) {
  Shape shape(input.shape.begin(), input.shape.end());
  std::replace(shape.begin(), shape.end(), -1, 1); // open dimensions
  std::optional<int64_t> count = elementCount(shape);
  if (!count) {
    return llvm::createStringError("input '" + input.name + "' has an invalid shape");
  }
  Tensor result(ElementType::F32, shape);
  for (int64_t i = 0; i < *count; ++i) {
    result.mutableData<float>()[i] = static_cast<float>(i) / static_cast<float>(*count);
  }
  return Datum(std::move(result));
}

llvm::Error readInputs(const Model &model, const DataSet &files, Data &data) {
  if (files.inputs.empty()) {
    for (const TensorInfo &input : model.inputs()) {
      llvm::Expected<Datum> value = ramp(input);
      if (!value) {
        return value.takeError();
      }
      data.inputs[input.name] = std::move(*value);
    }
    return llvm::Error::success();
  }
  const onnx::GraphProto &graph = model.file().proto->graph();
  for (auto [i, file] : llvm::enumerate(files.inputs)) {
    if (static_cast<int>(i) >= graph.input_size()) {
      return llvm::createStringError("the test has more inputs than the model");
    }
    const onnx::ValueInfoProto &input = graph.input(static_cast<int>(i));
    llvm::Expected<Datum> value = io::readOnnxData(file, input.type());
    if (!value) {
      return value.takeError();
    }
    data.inputs[input.name()] = std::move(*value);
  }
  return llvm::Error::success();
}

llvm::Expected<Data> readData(const Model &model, const DataSet &files) {
  Data data;
  if (llvm::Error error = readInputs(model, files, data)) {
    return error;
  }
  const onnx::GraphProto &graph = model.file().proto->graph();
  for (auto [i, file] : llvm::enumerate(files.outputs)) {
    if (static_cast<int>(i) >= graph.output_size()) {
      return llvm::createStringError("the test has more outputs than the model");
    }
    llvm::Expected<Datum> value = io::readOnnxData(file, graph.output(static_cast<int>(i)).type());
    if (!value) {
      return value.takeError();
    }
    data.outputs.push_back(std::move(*value));
  }
  return data;
}

/// Finds the inputs to bind for a model that is not static without binding.
class Binder {
public:
  Binder(const Model &model, const CompileRequest &request, const NamedData &inputs)
      : model(model), request(request), inputs(inputs) {}

  /// Returns the smallest set found, integers before other types. Returns nothing if no set of
  /// small inputs makes the model static.
  std::optional<std::vector<std::string>> find() {
    if (isStaticWith({})) {
      return std::vector<std::string>();
    }
    for (bool isOnlyIntegers : {true, false}) {
      std::vector<std::string> names = candidates(isOnlyIntegers);
      if (!names.empty() && isStaticWith(names)) {
        return smallest(std::move(names));
      }
    }
    return std::nullopt;
  }

  void bind(InputPins &pins, ArrayRef<std::string> names) const {
    for (const std::string &name : names) {
      pins.constants[name] = driver::toTensorData(inputs.at(name).tensor);
    }
  }

private:
  std::vector<std::string> candidates(bool isOnlyIntegers) const {
    std::vector<std::string> result;
    for (const auto &[name, datum] : inputs) {
      const Tensor &tensor = datum.tensor;
      bool isSmall = datum.isTensor() && tensor.rank() <= kMaxBoundRank &&
                     tensor.size() <= kMaxBoundElems && tensor.type() != ElementType::String;
      if (isSmall && (!isOnlyIntegers || isInteger(tensor.type()))) {
        result.push_back(name);
      }
    }
    return result;
  }

  bool isStaticWith(ArrayRef<std::string> names) const {
    driver::CompileContext context;
    CompileRequest bound = request;
    bind(bound.inputs, names);
    OwningOpRef<ModuleOp> module =
        driver::importRequested(model, bound, driver::ResolvedTarget(), context);
    return module && driver::isStatic(*module);
  }

  /// Removes each input whose value is not needed.
  std::vector<std::string> smallest(std::vector<std::string> names) const {
    for (size_t i = 0; i < names.size();) {
      std::vector<std::string> fewer = names;
      fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
      if (isStaticWith(fewer)) {
        names = std::move(fewer);
      } else {
        ++i;
      }
    }
    return names;
  }

  const Model &model;
  const CompileRequest &request;
  const NamedData &inputs;
};

bool isDrawn(const TestCase &test) {
  return llvm::StringRef(test.name).starts_with("test_bernoulli");
}

check::Tolerance toleranceOf(const TestCase &test, const Model &model) {
  if (test.tolerance) {
    return *test.tolerance;
  }
  if (isDrawn(test)) {
    return kDrawnTolerance;
  }
  bool isFourier =
      llvm::any_of(model.file().proto->graph().node(), [](const onnx::NodeProto &node) {
        return node.op_type() == "DFT" || node.op_type() == "STFT";
      });
  return isFourier ? kFourierTolerance : kTolerance;
}

/// Compares the outputs of the model with the expected outputs.
std::string firstMismatch(ArrayRef<Datum> actual, ArrayRef<Datum> expected,
                          ArrayRef<std::string> names, const check::Tolerance &tolerance) {
  if (actual.size() < expected.size()) {
    return "the model has " + std::to_string(actual.size()) + " outputs, the test expects " +
           std::to_string(expected.size());
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (auto text = check::outputError(actual[i], expected[i], tolerance)) {
      return "wrong result: output '" + names[i] + "' " + *text;
    }
  }
  return "";
}

Outcome runDataSet(const Model &model, const DataSet &files, const driver::ResolvedTarget &target,
                   const check::Tolerance &tolerance) {
  Outcome outcome;
  llvm::Expected<Data> data = readData(model, files);
  if (!data) {
    outcome.problem = llvm::toString(data.takeError());
    return outcome;
  }
  CompileRequest request;
  request.target.name = target.requested;
  request.output.emit = Emit::Memory;
  request.numerics.isInteger = false; // the tests expect ONNX's own arithmetic
  request.schedule.threads = 0;
  if (const char *compiler = std::getenv("CC")) {
    request.output.cCompiler = compiler;
  }
  io::pinShapes(request.inputs, data->inputs);
  Result<Artifact> artifact = compileModel(model, request);
  if (!artifact && !target.backend->facts.allowsOpenDims) {
    Binder binder(model, request, data->inputs);
    outcome.bound = binder.find().value_or(std::vector<std::string>());
    if (!outcome.bound.empty()) {
      binder.bind(request.inputs, outcome.bound);
      artifact = compileModel(model, request);
    }
  }
  if (!artifact) {
    outcome.problem = artifact.problems().firstError();
    return outcome;
  }
  Result<std::vector<Datum>> actual = artifact->memory->program().run(data->inputs);
  if (!actual) {
    outcome.problem = actual.problems().firstError();
    return outcome;
  }
  outcome.problem =
      firstMismatch(*actual, data->outputs, artifact->memory->outputNames(), tolerance);
  outcome.isPassed = outcome.problem.empty();
  outcome.isWrongResult = !outcome.isPassed;
  return outcome;
}

} // namespace

Outcome runTest(const TestCase &test, const driver::ResolvedTarget &target) {
  Outcome outcome;
  Result<Model> model = Model::read(test.model);
  if (!model) {
    outcome.problem = model.problems().firstError();
    return outcome;
  }
  outcome.problem = "the test has no data";
  for (const DataSet &files : test.dataSets) {
    outcome = runDataSet(*model, files, target, toleranceOf(test, *model));
    if (!outcome.isPassed) {
      break;
    }
  }
  outcome.isDrawn = isDrawn(test);
  return outcome;
}

} // namespace convoy::conformance
