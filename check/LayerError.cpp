// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the two graphs by the location of each quantize_linear. In ONNX's graph, this is the
// location of the op itself; in the integer graph, of the op that replaced it.

#include "check/LayerError.h"
#include "Driver/AddProblem.h"
#include "Driver/ImportRequested.h"
#include "Driver/RequestOptions.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Pipeline/RunStages.h"
#include "Quantize/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::check {
namespace {

/// Values of integer results by location and type. If several ops have the same location and
/// type, the last op counts. A layer and a reshape of its result have the same location.
using ValuesByLocation = llvm::DenseMap<std::pair<Attribute, Type>, Tensor>;

std::pair<Attribute, Type> keyOf(Operation *op) {
  return {cast<Attribute>(LocationAttr(op->getLoc())), op->getResult(0).getType()};
}

/// Runs the stages that both graphs share. If `isWhole`, also creates the integer graph.
LogicalResult runSharedStages(ModuleOp module, StageOptions options, bool isWhole) {
  options.quantize.isInteger = true;
  if (isWhole) {
    return runStages(module, options, "", "quantize");
  }
  PassManager passes(module.getContext());
  passes.nest<func::FuncOp>().addPass(quantize::createCancelDetoursPass());
  return failure(failed(runStages(module, options, "", "graph")) || failed(passes.run(module)));
}

FailureOr<std::vector<Datum>> argumentsOf(func::FuncOp function, const NamedData &data,
                                          driver::DiagnosticLog &log) {
  std::vector<Datum> arguments;
  for (const std::string &name : driver::argumentNames(function)) {
    auto it = data.find(name);
    if (it == data.end()) {
      log.addError("no data for input '" + name + "'");
      return failure();
    }
    arguments.push_back(it->second);
  }
  return arguments;
}

/// Runs ONNX's graph op by op. After each quantize_linear, it continues with the value of the
/// integer graph.
class LayerWalk {
public:
  explicit LayerWalk(const ValuesByLocation &integers) : integers(integers) {}

  LogicalResult run(func::FuncOp function, ArrayRef<Datum> arguments) {
    for (auto [argument, datum] : llvm::zip(function.getArguments(), arguments)) {
      values[argument] = datum;
    }
    for (Operation &op : function.getBody().front().without_terminator()) {
      std::vector<Datum> operands;
      for (Value operand : op.getOperands()) {
        operands.push_back(values[operand]);
      }
      FailureOr<std::vector<Datum>> results = reference::evaluate(&op, operands);
      if (failed(results)) {
        return failure();
      }
      for (auto [value, datum] : llvm::zip(op.getResults(), *results)) {
        values[value] = datum;
      }
      if (auto quantize = dyn_cast<graph::QuantizeLinearOp>(op)) {
        compare(quantize);
      }
    }
    return success();
  }

  std::vector<LayerError> layers;

private:
  void compare(graph::QuantizeLinearOp op) {
    auto it = integers.find(keyOf(op));
    if (it == integers.end()) {
      return;
    }
    const Tensor &expected = values[op.getResult()].tensor;
    LayerError layer{layerName(op), expected.size(), 0, 0};
    for (int64_t i = 0; i < expected.size(); ++i) {
      int64_t steps = std::abs(it->second.asInt(i) - expected.asInt(i));
      layer.differing += steps != 0;
      layer.maxSteps = std::max(layer.maxSteps, steps);
    }
    layers.push_back(std::move(layer));
    values[op.getResult()] = it->second;
  }

  /// Returns the node before the quantize_linear; skips activations such as Relu and Clip.
  static std::string layerName(graph::QuantizeLinearOp op) {
    Operation *layer = op.getInput().getDefiningOp();
    auto isActivation = [](Operation *candidate) {
      auto binary = dyn_cast<graph::BinaryOp>(candidate);
      return isa<graph::UnaryOp>(candidate) ||
             (binary && (binary.getKind() == graph::BinaryKind::Max ||
                         binary.getKind() == graph::BinaryKind::Min));
    };
    while (layer && isActivation(layer) && layer->getOperand(0).getDefiningOp()) {
      layer = layer->getOperand(0).getDefiningOp();
    }
    std::string name = layer ? graph::nodeText(layer->getLoc()) : "";
    return name.empty() ? graph::nodeText(op.getLoc()) : name;
  }

  const ValuesByLocation &integers;
  llvm::DenseMap<Value, Datum> values;
};

} // namespace

std::vector<LayerError> layerErrors(const Model &model, const CompileRequest &request,
                                    const NamedData &data, Problems &problems) {
  driver::CompileContext context; // shared, because locations are compared by identity
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request.target, /*isForMemory=*/true);
  if (!target) {
    addError(problems, target.takeError());
    return {};
  }
  llvm::Expected<StageOptions> options = driver::stageOptionsFor(request, *target, model.name());
  if (!options) {
    addError(problems, options.takeError());
    return {};
  }
  OwningOpRef<ModuleOp> integer = driver::importRequested(model, request, *target, context);
  OwningOpRef<ModuleOp> plain = driver::importRequested(model, request, *target, context);
  std::vector<LayerError> layers;
  bool isReady = integer && plain &&
                 succeeded(runSharedStages(*integer, *options, /*isWhole=*/true)) &&
                 succeeded(runSharedStages(*plain, *options, /*isWhole=*/false));
  if (isReady) {
    func::FuncOp function = driver::mainOf(*integer);
    FailureOr<std::vector<Datum>> arguments = argumentsOf(function, data, context.log);
    ValuesByLocation integers;
    auto observe = [&](Operation *op, ArrayRef<Datum> results) {
      bool isInteger = !results.empty() && results.front().isTensor() &&
                       !isa<graph::ConstantOp>(op) &&
                       convoy::isInteger(results.front().tensor.type());
      if (isInteger) {
        integers[keyOf(op)] = results.front().tensor;
      }
    };
    reference::RunOptions runOptions;
    runOptions.observe = observe;
    LayerWalk walk(integers);
    if (succeeded(arguments) && succeeded(reference::run(function, *arguments, runOptions)) &&
        succeeded(walk.run(driver::mainOf(*plain), *arguments))) {
      layers = std::move(walk.layers);
    }
  }
  problems.append(context.log.problems());
  return layers;
}

} // namespace convoy::check
