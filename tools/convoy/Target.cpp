// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets by name: described machines, and the one that needs no compiler.

#include "Target.h"
#include "Accelerators/Registry.h"
#include "DeviceTarget.h"
#include "Graph/Graph.h"
#include "MachineTarget.h"
#include "Pipeline/Pipeline.h"
#include "SourceTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "reference/Reference.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class ReferenceExecutable : public Executable {
public:
  explicit ReferenceExecutable(OwningOpRef<ModuleOp> module) : module(std::move(module)) {}

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    return reference::run(module->lookupSymbol<func::FuncOp>("main"), inputs);
  }

private:
  OwningOpRef<ModuleOp> module;
};

/// Runs the stages that turn a quantised model into its integer graph. A model
/// without quantisation, or with open dimensions, stays as it was imported.
LogicalResult makeIntegerGraph(ModuleOp module, const TargetOptions &options) {
  bool isQuantized = false;
  module.walk([&](graph::QuantizeLinearOp) { isQuantized = true; });
  auto function = module.lookupSymbol<func::FuncOp>("main");
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (!isQuantized || !llvm::all_of(function.getArgumentTypes(), isStatic)) {
    return success();
  }
  convoy::CompileOptions stageOptions;
  stageOptions.quantize.isInteger = true;
  stageOptions.quantize.arithmetic = options.arithmetic;
  PassManager passes(module.getContext());
  buildPipeline(passes, stageOptions, "quantize");
  if (options.instrument) {
    options.instrument(passes);
  }
  return passes.run(module);
}

class ReferenceTarget : public Target {
public:
  StringRef name() const override { return "reference"; }
  StringRef summary() const override {
    return "interpreter, slow and obvious; the definition of correct";
  }
  bool allowsDynamicShapes() const override { return true; }
  std::unique_ptr<Executable> compile(OwningOpRef<ModuleOp> module,
                                      const TargetOptions &options) const override {
    if (options.isInteger && failed(makeIntegerGraph(*module, options))) {
      return nullptr;
    }
    return std::make_unique<ReferenceExecutable>(std::move(module));
  }
};

} // namespace

std::unique_ptr<Executable> createInterpreter(OwningOpRef<ModuleOp> module) {
  return std::make_unique<ReferenceExecutable>(std::move(module));
}

std::unique_ptr<Target> createReference() { return std::make_unique<ReferenceTarget>(); }

llvm::Expected<std::unique_ptr<Target>> findTarget(StringRef name) {
  std::unique_ptr<Target> reference = createReference();
  if (name == reference->name()) {
    return reference;
  }
  for (std::unique_ptr<Target> &source : sourceTargets()) {
    if (name == source->name()) {
      return std::move(source);
    }
  }
  llvm::Expected<std::unique_ptr<accelerators::Accelerator>> device =
      accelerators::findAccelerator(name);
  if (!device) {
    return device.takeError();
  }
  if (*device) {
    return std::make_unique<DeviceTarget>(std::move(*device));
  }
  llvm::Expected<targets::Target> machine = targets::findTarget(name);
  if (machine) {
    return std::make_unique<MachineTarget>(std::move(*machine));
  }
  if (name.ends_with(".json")) {
    return machine.takeError();
  }
  llvm::consumeError(machine.takeError());
  std::vector<std::string> names;
  for (const targets::Target &known : targets::listTargets()) {
    names.push_back(known.name);
  }
  for (const std::unique_ptr<Target> &source : sourceTargets()) {
    names.push_back(source->name().str());
  }
  names.push_back(reference->name().str());
  llvm::append_range(names, accelerators::listTargets());
  return llvm::createStringError("no target '" + name + "'; there is " + llvm::join(names, ", ") +
                                 ", or give a .json file");
}

} // namespace convoy::driver
