// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the layers that the device receives, after the rewrites that all devices share. The
// reference runs the same layers, so it provides the inputs and the expected result of each.
// DeviceLowering finds the pass of a wrong layer or region.

#include "check/locate/DeviceFault.h"
#include "Accelerators/RegionLayers.h"
#include "Driver/ImportRequested.h"
#include "Driver/RequestOptions.h"
#include "Graph/NodeName.h"
#include "Kernels/Kernel.h"
#include "check/locate/DeviceLowering.h"
#include "check/locate/GraphFault.h"
#include "check/rules/OpError.h"
#include "mlir/IR/IRMapping.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::check {
namespace {

using Values = llvm::DenseMap<Value, Datum>;

/// Runs a function with the reference and keeps every value.
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

/// Returns a function of one layer. The function contains a copy of the constants; other
/// operands become arguments.
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
      : wrong(wrong), device(device), lowering(device, wrong.injected) {}

  Fault run() {
    OwningOpRef<ModuleOp> module = place();
    Values values;
    if (!module || failed(runAndKeep(mainOf(*module), inputsOf(mainOf(*module)), values))) {
      return {"", "", "",
              "the reference cannot run the model's regions: " + context.log.firstError()};
    }
    int64_t number = 0;
    for (auto kernel : mainOf(*module).getBody().front().getOps<graph::KernelOp>()) {
      if (isa_and_nonnull<kernels::OffloadAttr>(kernel.getConfigAttr())) {
        if (std::optional<Fault> fault = locateInRegion(kernel, number++, *module, values)) {
          return std::move(*fault);
        }
      }
    }
    return {
        "", "", "",
        "every region is right on the device, so the error is in the part that runs on the CPU"};
  }

private:
  /// Returns the model with its regions outlined, each as a kernel of its own ops, or null
  /// after an error.
  OwningOpRef<ModuleOp> place() {
    llvm::Expected<driver::ResolvedTarget> target =
        driver::resolveTarget(wrong.request.target, /*isForMemory=*/true);
    if (!target) {
      context.log.add(target.takeError());
      return nullptr;
    }
    llvm::Expected<StageOptions> options =
        driver::stageOptionsFor(wrong.request, *target, wrong.model.name());
    if (!options) {
      context.log.add(options.takeError());
      return nullptr;
    }
    options->verifyStages = false;
    OwningOpRef<ModuleOp> module =
        driver::importRequested(wrong.model, wrong.request, *target, context);
    return module && succeeded(runStages(*module, *options, "", "place")) ? std::move(module)
                                                                          : nullptr;
  }

  std::vector<Datum> inputsOf(func::FuncOp main) const {
    std::vector<Datum> inputs;
    for (const std::string &name : driver::argumentNames(main)) {
      auto it = wrong.inputs.find(name);
      inputs.push_back(it == wrong.inputs.end() ? Datum() : it->second);
    }
    return inputs;
  }

  std::optional<Fault> locateInRegion(graph::KernelOp kernel, int64_t number, ModuleOp module,
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
      return Fault::notFound("the reference cannot run the layers of " + where);
    }
    for (Operation &layer : layers->getBody().front().without_terminator()) {
      if (isa<graph::ConstantOp>(layer)) {
        continue;
      }
      if (std::optional<Fault> fault = faultOf(&layer, module, inside)) {
        fault->note = joined("in " + where, fault->note);
        return fault;
      }
    }
    return faultOfWhole(*layers, inputs, *expected, where);
  }

  /// Returns a fault with the op, or nothing if the layer is right alone.
  std::optional<Fault> faultOf(Operation *layer, ModuleOp module, const Values &values) {
    std::vector<Datum> inputs;
    func::FuncOp function = alone(layer, module, values, inputs);
    std::vector<Datum> expected;
    for (Value result : layer->getResults()) {
      expected.push_back(values.lookup(result));
    }
    std::optional<Fault> fault = compare(function, inputs, expected);
    function.erase();
    if (fault) {
      fault->op = graph::nodeText(layer->getLoc());
    }
    return fault;
  }

  std::optional<Fault> faultOfWhole(func::FuncOp layers, ArrayRef<Datum> inputs,
                                    ArrayRef<Datum> expected, const std::string &where) {
    std::optional<Fault> fault = compare(layers, inputs, expected);
    if (fault) {
      std::string alone = "each layer of " + where + " is right alone";
      fault->note =
          joined(fault->pass.empty() ? alone + ", so the order or the memory of the layers is wrong"
                                     : alone,
                 fault->note);
    }
    return fault;
  }

  static std::string joined(const std::string &text, const std::string &more) {
    return more.empty() ? text : text + "; " + more;
  }

  /// Returns a fault with the measured error and the pass, or nothing if the device computes the
  /// expected results. Integers must be equal. The device may add floats in a different order and
  /// in f16.
  std::optional<Fault> compare(func::FuncOp function, ArrayRef<Datum> inputs,
                               ArrayRef<Datum> expected) {
    constexpr ErrorBound kLayerBound{1e-3, 8, 0};
    FailureOr<std::vector<Datum>> actual = lowering.run(function, inputs);
    OpError error = failed(actual) ? OpError{true, "the device's simulator cannot run the layer: " +
                                                       context.log.firstError()}
                                   : opError(*actual, expected, kLayerBound);
    if (!error.isWrong) {
      return std::nullopt;
    }
    FirstWrongPass first = lowering.firstWrongPass(function, inputs, [&](ArrayRef<Datum> outputs) {
      return opError(outputs, expected, kLayerBound).isWrong;
    });
    return Fault{"", first.pass, error.text, first.note};
  }

  const WrongModel &wrong;
  const accelerators::Accelerator &device;
  DeviceLowering lowering;
  driver::CompileContext context;
};

} // namespace

Fault locateDeviceFault(const WrongModel &wrong, const accelerators::Accelerator &device) {
  return DeviceSearch(wrong, device).run();
}

} // namespace convoy::check
