// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two graphs meet at the location of each quantize_linear: in ONNX's graph the
// op itself, in the integer graph the op that replaced it.

#include "LayerDistance.h"
#include "Graph/Graph.h"
#include "NodeName.h"
#include "Pipeline/Pipeline.h"
#include "Quantize/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// Values of integer results by location and type. If several ops have the same location and
/// type, the last op counts. A layer and a reshape of its result have the same location.
using ValuesByLocation = llvm::DenseMap<std::pair<Attribute, Type>, Tensor>;

std::pair<Attribute, Type> keyOf(Operation *op) {
  return {cast<Attribute>(LocationAttr(op->getLoc())), op->getResult(0).getType()};
}

/// The module up to what both graphs share; with `isWhole` the integer graph.
LogicalResult runStages(ModuleOp module, const quantize::Arithmetic &arithmetic, bool isWhole) {
  convoy::CompileOptions options;
  options.quantize = {/*isInteger=*/true, arithmetic};
  PassManager passes(module.getContext());
  buildPipeline(passes, options, isWhole ? "quantize" : "graph");
  if (!isWhole) {
    passes.nest<func::FuncOp>().addPass(quantize::createCancelDetoursPass());
  }
  return passes.run(module);
}

FailureOr<std::vector<Datum>> argumentsOf(func::FuncOp function, const NamedData &data,
                                          DiagnosticLog &log) {
  std::vector<Datum> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::string name = function.getArgAttrOfType<StringAttr>(i, "graph.name").str();
    auto it = data.find(name);
    if (it == data.end()) {
      log.addError("no data for input '" + name + "'");
      return failure();
    }
    arguments.push_back(it->second);
  }
  return arguments;
}

/// Walks ONNX's graph op by op, and goes on from each quantize_linear with what the
/// integer graph has there.
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

  std::vector<LayerDistance> layers;

private:
  void compare(graph::QuantizeLinearOp op) {
    auto it = integers.find(keyOf(op));
    if (it == integers.end()) {
      return;
    }
    const Tensor &expected = values[op.getResult()].tensor;
    LayerDistance layer{layerName(op), expected.size(), 0, 0};
    for (int64_t i = 0; i < expected.size(); ++i) {
      int64_t steps = std::abs(it->second.asInt(i) - expected.asInt(i));
      layer.differing += steps != 0;
      layer.maxSteps = std::max(layer.maxSteps, steps);
    }
    layers.push_back(std::move(layer));
    values[op.getResult()] = it->second;
  }

  /// The node in front of the quantize_linear, relu and clip skipped.
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
    std::string name = layer ? nodeText(layer->getLoc()) : "";
    return name.empty() ? nodeText(op.getLoc()) : name;
  }

  const ValuesByLocation &integers;
  llvm::DenseMap<Value, Datum> values;
};

} // namespace

std::vector<LayerDistance> layerDistances(const import::Model &model,
                                          const import::ImportOptions &options,
                                          const quantize::Arithmetic &arithmetic,
                                          const NamedData &data, DiagnosticLog &log) {
  Session session; // one context: locations are compared by identity
  OwningOpRef<ModuleOp> integer = session.import(model, options);
  OwningOpRef<ModuleOp> plain = session.import(model, options);
  std::vector<LayerDistance> layers;
  bool isReady = integer && plain && succeeded(runStages(*integer, arithmetic, /*isWhole=*/true)) &&
                 succeeded(runStages(*plain, arithmetic, /*isWhole=*/false));
  if (isReady) {
    auto function = integer->lookupSymbol<func::FuncOp>("main");
    FailureOr<std::vector<Datum>> arguments = argumentsOf(function, data, session.log());
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
        succeeded(walk.run(plain->lookupSymbol<func::FuncOp>("main"), *arguments))) {
      layers = std::move(walk.layers);
    }
  }
  log.append(session.log());
  return layers;
}

} // namespace convoy::driver
