// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers are those that the device gets, after the rewrites that all devices share: the
// reference runs them as well, so each has right inputs and a right result.

#include "DeviceBlame.h"
#include "Accelerators/RegionLayers.h"
#include "Calibration.h"
#include "Closeness.h"
#include "DeviceStages.h"
#include "GraphBlame.h"
#include "Kernels/Kernel.h"
#include "NodeName.h"
#include "convoy/convoy.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::driver {
namespace {

using Values = llvm::DenseMap<Value, Datum>;

/// Runs a function by the reference and keeps every value.
FailureOr<std::vector<Datum>> runAndKeep(func::FuncOp function, ArrayRef<Datum> inputs,
                                         Values &values) {
  for (auto [argument, input] : llvm::zip(function.getArguments(), inputs)) {
    values[argument] = input;
  }
  auto observe = [&](Operation *op, ArrayRef<Datum> results) {
    for (auto [value, result] : llvm::zip(op->getResults(), results)) {
      values[value] = result;
    }
  };
  reference::RunOptions options;
  options.observe = observe;
  return reference::run(function, inputs, options);
}

/// A function of one layer: constants come along, other operands are arguments.
func::FuncOp alone(Operation *layer, ModuleOp module, const Values &values,
                   std::vector<Datum> &inputs) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto function = builder.create<func::FuncOp>(layer->getLoc(), "convoy.alone",
                                               builder.getFunctionType({}, {}));
  function.setPrivate();
  mlir::Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  for (Value operand : layer->getOperands()) {
    if (mapping.contains(operand)) {
      continue;
    }
    if (auto constant = operand.getDefiningOp<graph::ConstantOp>()) {
      builder.clone(*constant, mapping);
      continue;
    }
    mapping.map(operand, block->addArgument(operand.getType(), operand.getLoc()));
    inputs.push_back(values.lookup(operand));
  }
  Operation *copy = builder.clone(*layer, mapping);
  builder.create<func::ReturnOp>(layer->getLoc(), copy->getResults());
  function.setType(builder.getFunctionType(block->getArgumentTypes(), copy->getResultTypes()));
  return function;
}

class DeviceSearch {
public:
  DeviceSearch(const WrongModel &wrong, const accelerators::Accelerator &device)
      : wrong(wrong), device(device) {}

  Blame run() {
    OwningOpRef<ModuleOp> module =
        importCalibrated(session, wrong.model, wrong.importOptions, wrong.calibrate, wrong.image);
    Values values;
    if (!module || failed(placeForDevice(*module, device, wrong.target.isInteger)) ||
        failed(runAndKeep(mainOf(*module), inputsOf(mainOf(*module)), values))) {
      return {"", "", "",
              "the reference cannot run the model's regions: " + session.log().firstError()};
    }
    int64_t number = 0;
    for (auto kernel : mainOf(*module).getBody().front().getOps<graph::KernelOp>()) {
      if (isa_and_nonnull<kernels::OffloadAttr>(kernel.getConfigAttr())) {
        if (std::optional<Blame> blame = blameRegion(kernel, number++, *module, values)) {
          return std::move(*blame);
        }
      }
    }
    return {"", "", "", "every region is right on the device, so the fault is in the CPU's part"};
  }

private:
  std::vector<Datum> inputsOf(func::FuncOp main) const {
    std::vector<Datum> inputs;
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      auto it = wrong.inputs.find(main.getArgAttrOfType<StringAttr>(i, "graph.name").str());
      inputs.push_back(it == wrong.inputs.end() ? Datum() : it->second);
    }
    return inputs;
  }

  std::optional<Blame> blameRegion(graph::KernelOp kernel, int64_t number, ModuleOp module,
                                   const Values &values) {
    std::string where = "region " + std::to_string(number) + " of " + device.name().str();
    std::vector<Datum> inputs;
    for (Value operand : kernel.getInputs()) {
      inputs.push_back(values.lookup(operand));
    }
    FailureOr<func::FuncOp> layers = accelerators::layersOf(kernel, module, device);
    Values inside;
    FailureOr<std::vector<Datum>> expected = failure();
    if (succeeded(layers)) {
      expected = runAndKeep(*layers, inputs, inside);
    }
    if (failed(expected)) {
      return Blame{"", "", "", "the reference cannot run the layers of " + where};
    }
    for (Operation &layer : layers->getBody().front().without_terminator()) {
      if (isa<graph::ConstantOp>(layer)) {
        continue;
      }
      if (std::optional<std::string> measured = whyWrong(&layer, module, inside)) {
        return Blame{nodeText(layer.getLoc()), "", *measured, "in " + where};
      }
    }
    Deviation whole = compare(*layers, inputs, *expected);
    return whole.isWrong ? std::optional(Blame{"", "", whole.text,
                                               "each layer of " + where +
                                                   " is right alone, so its "
                                                   "order or memory is wrong"})
                         : std::nullopt;
  }

  std::optional<std::string> whyWrong(Operation *layer, ModuleOp module, const Values &values) {
    std::vector<Datum> inputs;
    func::FuncOp function = alone(layer, module, values, inputs);
    std::vector<Datum> expected;
    for (Value result : layer->getResults()) {
      expected.push_back(values.lookup(result));
    }
    Deviation found = compare(function, inputs, expected);
    function.erase();
    return found.isWrong ? std::optional(found.text) : std::nullopt;
  }

  Deviation compare(func::FuncOp function, ArrayRef<Datum> inputs, ArrayRef<Datum> expected) {
    // Integers are exact; floats may be summed in another order, in half precision.
    constexpr Closeness kOfLayers{1e-3, 8, 0};
    FailureOr<std::vector<Datum>> actual = runLayers(function, device, inputs);
    return failed(actual) ? Deviation{true, "it cannot be run there: " + session.log().firstError()}
                          : deviation(*actual, expected, kOfLayers);
  }

  const WrongModel &wrong;
  const accelerators::Accelerator &device;
  Session session;
};

} // namespace

FailureOr<std::vector<Datum>>
runLayers(func::FuncOp layers, const accelerators::Accelerator &device, ArrayRef<Datum> inputs) {
  // A copy, as the device's own rewrites work in place.
  OwningOpRef<ModuleOp> module = ModuleOp::create(layers.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = cast<func::FuncOp>(builder.clone(*layers));
  PassManager passes(layers.getContext());
  device.addPasses(passes.nest<func::FuncOp>());
  if (failed(passes.run(*module))) {
    return failure();
  }
  FailureOr<accelerators::Program> program =
      device.lower(function, accelerators::DependenceGraph(function.getBody().front()));
  if (failed(program)) {
    return failure();
  }
  std::vector<uint8_t> bytes = accelerators::encodeProgram(*program, device.name());
  std::unique_ptr<accelerators::Simulator> simulator = device.simulator();
  convoy_loaded loaded = {};
  int code = convoy_load_program(&simulator->device(), bytes.data(), bytes.size(), &loaded);
  std::vector<const void *> in;
  for (const Datum &input : inputs) {
    in.push_back(input.tensor.raw());
  }
  std::vector<Tensor> results;
  for (Type type : layers.getResultTypes()) {
    auto ranked = cast<RankedTensorType>(type);
    results.emplace_back(fromMlir(ranked.getElementType()), ranked.getShape());
  }
  std::vector<void *> out;
  for (Tensor &result : results) {
    out.push_back(result.mutableRaw());
  }
  if (code == CONVOY_OK) {
    code = convoy_run_program(&loaded, in.data(), out.data());
    convoy_unload_program(&loaded);
  }
  if (code != CONVOY_OK) {
    return layers.emitError(convoy_error_text(code)) << ": " << simulator->error();
  }
  return std::vector<Datum>(results.begin(), results.end());
}

Blame findDeviceBlame(const WrongModel &wrong, const accelerators::Accelerator &device) {
  return DeviceSearch(wrong, device).run();
}

} // namespace convoy::driver
