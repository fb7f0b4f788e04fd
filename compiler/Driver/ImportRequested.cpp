// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes the samples of a request to the calibrator of the quantize stage.

#include "Driver/ImportRequested.h"
#include "Driver/RequestOptions.h"
#include "Driver/TensorConversion.h"
#include "Graph/Attributes.h"
#include "Pipeline/RunStages.h"
#include "Quantize/Calibrate.h"

using namespace mlir;

namespace convoy::driver {
namespace {

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
      log.addError("--calibrate: '" + samples.nameOf(index) + "', input '" + name +
                   "': " + llvm::toString(tensor.takeError()));
      return std::nullopt;
    }
    inputs.emplace_back(std::move(*tensor));
  }
  return inputs;
}

LogicalResult calibrate(ModuleOp module, const SampleSource &samples, DiagnosticLog &log) {
  StageOptions options;
  options.quantize.isInteger = true; // the graph stage then keeps weights as integers
  if (failed(runStages(module, options, "", "graph"))) {
    return failure();
  }
  func::FuncOp main = mainOf(module);
  quantize::Ranges ranges;
  for (size_t i = 0; i < samples.size(); ++i) {
    std::optional<std::vector<reference::Datum>> inputs = readSample(samples, i, main, log);
    if (!inputs || failed(ranges.add(main, *inputs))) {
      return failure();
    }
  }
  if (quantize::insertQuantization(main, ranges) == 0) {
    log.addError("--calibrate: the model has no convolution or product of floats with constant "
                 "weights to quantise");
    return failure();
  }
  return success();
}

} // namespace

OwningOpRef<ModuleOp> importRequested(const Model &model, const CompileRequest &request,
                                      const ResolvedTarget &target, CompileContext &context) {
  llvm::Expected<import::ImportOptions> options = importOptionsFor(request, target);
  if (!options) {
    context.log.add(options.takeError());
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = import::importModel(model.file(), &context.mlir, *options);
  if (!module || context.log.hasErrors()) {
    return nullptr;
  }
  if (request.calibration && failed(calibrate(*module, *request.calibration, context.log))) {
    return nullptr;
  }
  return module;
}

func::FuncOp mainOf(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("main"); }

bool isStatic(ModuleOp module) {
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  WalkResult result = module.walk([&](Operation *op) {
    return llvm::all_of(op->getResultTypes(), isKnown) ? WalkResult::advance()
                                                       : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

std::vector<std::string> argumentNames(func::FuncOp main) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    names.push_back(graph::argumentName(main, i).str());
  }
  return names;
}

std::vector<std::string> resultNames(func::FuncOp main) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    names.push_back(graph::resultName(main, i).str());
  }
  return names;
}

} // namespace convoy::driver
