// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observes the ranges of a model's tensors with the reference interpreter and applies the plan of
// minMaxPlan to the ONNX model. The quantize stage then sees the same ops as for a model that is
// quantized in its file.

#include "Driver/CalibrateModel.h"
#include "Driver/ImportRequested.h"
#include "Driver/TensorConversion.h"
#include "Graph/Graph.h"
#include "Import/OnnxProto.h"
#include "Pipeline/RunStages.h"
#include "QuantizePlan/WriteQdq.h"
#include "Support/TypedError.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::driver {
namespace {

using Ranges = std::map<std::string, plan::TensorRange>;

/// Returns the inputs of one sample in the order of the function's arguments.
std::optional<std::vector<reference::Datum>> readSample(const SampleSource &samples, size_t index,
                                                        func::FuncOp main, DiagnosticLog &log) {
  Result<NamedTensors> data = samples.read(index);
  log.problems().append(data.problems());
  if (!data) {
    return std::nullopt;
  }
  std::vector<reference::Datum> inputs;
  for (const std::string &name : argumentNames(main)) {
    auto found = data->find(name);
    if (found == data->end()) {
      log.addError("--calibrate: '" + samples.nameOf(index) + "' has no data for input '" + name +
                   "'");
      return std::nullopt;
    }
    llvm::Expected<Tensor> tensor = toTensor(found->second);
    if (!tensor) {
      log.add(withPrefix("--calibrate: '" + samples.nameOf(index) + "', input '" + name + "': ",
                         tensor.takeError()));
      return std::nullopt;
    }
    inputs.emplace_back(std::move(*tensor));
  }
  return inputs;
}

/// Extends the range of a tensor by its elements.
void include(Ranges &ranges, const std::string &tensor, const reference::Datum &datum) {
  if (!datum.isTensor() || datum.tensor.type() != ElementType::F32 || datum.tensor.isEmpty()) {
    return;
  }
  const auto *elements = datum.tensor.data<float>();
  auto [low, high] = std::minmax_element(elements, elements + datum.tensor.size());
  plan::TensorRange &range =
      ranges[tensor]; // starts at zero, because every range must contain zero
  range.low = std::min<double>(range.low, *low);
  range.high = std::max<double>(range.high, *high);
}

OwningOpRef<ModuleOp> import(const import::Model &like, onnx::ModelProto proto,
                             const import::ImportOptions &options, CompileContext &context) {
  import::Model model = like;
  model.proto = std::make_shared<onnx::ModelProto>(std::move(proto));
  OwningOpRef<ModuleOp> module = import::importModel(model, &context.mlir, options);
  return context.log.hasErrors() ? nullptr : std::move(module);
}

/// Runs a module on the samples. Its results after the first `ownOutputs` are the tensors
/// `observed`.
FailureOr<Ranges> observe(ModuleOp module, size_t ownOutputs, ArrayRef<std::string> observed,
                          const SampleSource &samples, DiagnosticLog &log) {
  if (failed(runStages(module, StageOptions(), "", "graph"))) {
    return failure();
  }
  func::FuncOp main = mainOf(module);
  std::vector<std::string> arguments = argumentNames(main);
  Ranges ranges;
  for (size_t i = 0; i < samples.size(); ++i) {
    std::optional<std::vector<reference::Datum>> inputs = readSample(samples, i, main, log);
    if (!inputs) {
      return failure();
    }
    FailureOr<std::vector<reference::Datum>> outputs = reference::run(main, *inputs);
    if (failed(outputs)) {
      return failure();
    }
    for (auto [name, datum] : llvm::zip(arguments, *inputs)) {
      include(ranges, name, datum);
    }
    for (auto [name, datum] : llvm::zip(observed, llvm::drop_begin(*outputs, ownOutputs))) {
      include(ranges, name, datum);
    }
  }
  return ranges;
}

/// Gives quantization the location of the op that it quantizes, because reports name a layer by the
/// location of its quantization.
void setLocations(ModuleOp module) {
  module.walk([](Operation *op) {
    if (isa<graph::QuantizeLinearOp, graph::DequantizeLinearOp>(op)) {
      op->setLoc(op->getOperand(0).getLoc());
    }
  });
}

} // namespace

OwningOpRef<ModuleOp> importCalibrated(const import::Model &model,
                                       const import::ImportOptions &options,
                                       const SampleSource &samples, ElementType activationType,
                                       CompileContext &context) {
  onnx::ModelProto prepared = *model.proto;
  if (llvm::Error error = plan::loadExternalData(prepared, model.directory)) {
    context.log.add(std::move(error));
    return nullptr;
  }
  prepared = plan::prepareModel(prepared);
  plan::Points points = plan::findPoints(prepared);
  std::vector<std::string> observed;
  for (const plan::Activation &activation : points.activations) {
    observed.push_back(activation.tensor);
  }
  OwningOpRef<ModuleOp> probe =
      import(model, plan::addOutputs(prepared, observed), options, context);
  if (!probe) {
    return nullptr;
  }
  auto ownOutputs = static_cast<size_t>(prepared.graph().output_size());
  FailureOr<Ranges> ranges = observe(*probe, ownOutputs, observed, samples, context.log);
  if (failed(ranges)) {
    return nullptr;
  }
  plan::Plan plan = plan::minMaxPlan(prepared, points, *ranges, activationType);
  if (plan.weights.empty()) {
    context.log.addError("--calibrate: the model has no float convolution or matmul with constant "
                         "weights, so there is nothing to quantize; omit --calibrate");
    return nullptr;
  }
  llvm::Expected<onnx::ModelProto> quantized = plan::writeQdq(prepared, points, plan, {});
  if (!quantized) {
    context.log.add(quantized.takeError());
    return nullptr;
  }
  // The first import has reported the warnings.
  ScopedDiagnosticHandler quiet(&context.mlir, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Warning);
  });
  OwningOpRef<ModuleOp> module = import(model, std::move(*quantized), options, context);
  if (module) {
    setLocations(*module);
  }
  return module;
}

} // namespace convoy::driver
