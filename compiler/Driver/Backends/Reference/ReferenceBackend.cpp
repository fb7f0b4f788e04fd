// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a module and runs it with the reference interpreter.

#include "Accelerators/Passes.h"
#include "Driver/BackendJob.h"
#include "Driver/ImportRequested.h"
#include "Driver/LoadedProgram.h"
#include "Driver/RequestOptions.h"
#include "Graph/Graph.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::driver {
namespace {

class ReferenceExecutable : public Executable {
public:
  explicit ReferenceExecutable(OwningOpRef<ModuleOp> module) : module(std::move(module)) {}

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    return reference::run(mainOf(*module), inputs);
  }

private:
  OwningOpRef<ModuleOp> module;
};

bool isQuantized(ModuleOp module) {
  bool result = false;
  module.walk([&](graph::QuantizeLinearOp) { result = true; });
  return result;
}

bool hasStaticInputs(ModuleOp module) {
  return llvm::all_of(mainOf(module).getArgumentTypes(), [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor && tensor.hasStaticShape();
  });
}

class ReferenceBackend : public Backend {
public:
  ReferenceBackend()
      : Backend({"interpreter", Emit::Memory, /*hasKernels=*/false, /*allowsOpenDims=*/true}) {}

  /// The interpreter has no arena, so it accepts every place of inputs and outputs.
  llvm::Error setOptions(const CompileRequest &request, const ResolvedTarget &target,
                         StageOptions &options) const override {
    if (llvm::Error error = setIoPlace(request, options)) {
      return error;
    }
    return refuseLimits(request, target);
  }

  /// A quantized model becomes its integer graph, unless it has open dimensions.
  bool runStages(BackendJob &job, llvm::function_ref<bool(StringRef)> run) const override {
    if (!job.request.target.layersOf.empty()) {
      PassManager passes(job.module->getContext());
      passes.addPass(accelerators::createInsertLayersPass());
      return run("place") && succeeded(passes.run(*job.module));
    }
    bool hasIntegerGraph =
        job.options.quantize.isInteger && isQuantized(*job.module) && hasStaticInputs(*job.module);
    return !hasIntegerGraph || run("quantize");
  }

  std::unique_ptr<Executable> load(BackendJob &job) const override {
    return std::make_unique<ReferenceExecutable>(std::move(job.module));
  }

  TargetDescription describe(const ResolvedTarget &target) const override {
    return {target.summary, {"run", "check"}, {}, {}};
  }
};

} // namespace

const Backend &referenceBackend() {
  static const ReferenceBackend backend;
  return backend;
}

} // namespace convoy::driver
