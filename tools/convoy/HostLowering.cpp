// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowering by steps. A pass manager cannot start in the middle, so passes that a
// snapshot has seen are skipped by an action handler of the context.

#include "HostLowering.h"
#include "Codegen/LLVM/Passes.h"
#include "MachineTarget.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassInstrumentation.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// Copies the module after each pass. A pass over functions runs many times; the
/// copy after its last run stays.
class Recorder : public PassInstrumentation {
public:
  explicit Recorder(std::vector<Snapshot> &list) : list(list) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    StringRef name = pass->getArgument();
    if (name.empty()) {
      return; // the adaptor that holds passes over functions
    }
    auto module = dyn_cast<ModuleOp>(op);
    module = module ? module : op->getParentOfType<ModuleOp>();
    if (list.back().pass != name) {
      list.push_back({name.str(), nullptr});
    }
    list.back().module = module.clone();
  }

private:
  std::vector<Snapshot> &list;
};

/// Skips passes by name while it lives.
class PassSkipper {
public:
  PassSkipper(MLIRContext *context, llvm::StringSet<> names)
      : context(context), names(std::move(names)) {
    context->registerActionHandler(
        [this](llvm::function_ref<void()> transform, const tracing::Action &action) {
          const auto *execution = dyn_cast<PassExecutionAction>(&action);
          if (!execution || !this->names.contains(execution->getPass().getArgument())) {
            transform();
          }
        });
  }
  ~PassSkipper() { context->registerActionHandler(nullptr); }
  PassSkipper(const PassSkipper &) = delete;
  PassSkipper &operator=(const PassSkipper &) = delete;

private:
  MLIRContext *context;
  llvm::StringSet<> names;
};

} // namespace

HostLowering::HostLowering() {
  codegen.target = targets::detectHost();
  stages = compileOptions(codegen.target);
}

void HostLowering::build(PassManager &passes) const {
  for (const Stage &stage : convoy::stages()) {
    if (!stage.isExecutable) {
      stage.addPasses(passes, stages);
    }
  }
  codegen::addCodegenPasses(passes, codegen);
}

HostLowering::Outputs HostLowering::load(ModuleOp module, ArrayRef<Datum> inputs) const {
  auto model = codegen::LoadedModel::load(module, codegen);
  if (!model) {
    return module.emitError(llvm::toString(model.takeError()));
  }
  std::vector<Tensor> tensors;
  for (const Datum &input : inputs) {
    tensors.push_back(input.tensor);
  }
  llvm::Expected<std::vector<Tensor>> results = (*model)->run(tensors);
  if (!results) {
    return module.emitError(llvm::toString(results.takeError()));
  }
  return std::vector<Datum>(results->begin(), results->end());
}

HostLowering::Outputs HostLowering::run(ModuleOp module, ArrayRef<Datum> inputs,
                                        const PassHook &hook) const {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext());
  build(passes);
  if (hook) {
    hook(passes);
  }
  if (failed(passes.run(*copy))) {
    return failure();
  }
  return load(*copy, inputs);
}

std::vector<Snapshot> HostLowering::snapshots(ModuleOp module, const PassHook &hook) const {
  std::vector<Snapshot> list;
  list.push_back({"", module.clone()});
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext());
  build(passes);
  // Instrumentation runs in reverse after a pass: the recorder comes last.
  passes.addInstrumentation(std::make_unique<Recorder>(list));
  if (hook) {
    hook(passes);
  }
  (void)passes.run(*copy); // what a failed pass leaves is not recorded
  return list;
}

HostLowering::Outputs HostLowering::complete(ArrayRef<Snapshot> list, size_t index,
                                             ArrayRef<Datum> inputs) const {
  OwningOpRef<ModuleOp> copy = ModuleOp(*list[index].module).clone();
  llvm::StringSet<> done;
  for (const Snapshot &snapshot : list.take_front(index + 1)) {
    done.insert(snapshot.pass);
  }
  done.erase(""); // the adaptor's name too
  PassManager passes(copy->getContext());
  build(passes);
  {
    PassSkipper skipper(copy->getContext(), std::move(done));
    if (failed(passes.run(*copy))) {
      return failure();
    }
  }
  return load(*copy, inputs);
}

} // namespace convoy::driver
