// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module, which has no model file, through the back end of its target.

#include "tests/differential/TargetRun.h"
#include "Driver/BackendJob.h"
#include "Driver/LoadedProgram.h"
#include "Driver/RequestOptions.h"
#include "Import/Import.h"
#include "Pipeline/RunStages.h"

using namespace mlir;

namespace convoy::test {

static CompileRequest requestFor(llvm::StringRef name) {
  CompileRequest request;
  request.target.name = name.str();
  request.output.emit = Emit::Memory;
  request.schedule.threads = 1;
  // The integer form of a float layer would round differently.
  request.numerics.isInteger = false;
  return request;
}

llvm::Expected<driver::ResolvedTarget> findRunnable(llvm::StringRef name) {
  auto target = driver::resolveTarget(requestFor(name).target, /*isForMemory=*/true);
  if (target) {
    if (llvm::Error error = target->backend->checkRunnable(*target)) {
      return std::move(error);
    }
  }
  return target;
}

std::string runOnTarget(const driver::ResolvedTarget &target, ModuleOp module,
                        ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs, bool isStrictMath) {
  const Model model(std::make_shared<import::Model>());
  const CompileRequest request = requestFor(target.name);
  const driver::CompileHooks hooks;
  driver::BackendJob job{model, request, hooks, target};
  llvm::Expected<StageOptions> options = driver::stageOptionsFor(request, target, "model");
  if (!options) {
    return llvm::toString(options.takeError());
  }
  job.options = std::move(*options);
  job.options.verifyStages = true;
  job.options.layout.isStrictMath = isStrictMath;
  job.module = module.clone();
  bool isLowered = target.backend->runStages(job, [&](StringRef last) {
    return succeeded(convoy::runStages(*job.module, job.options, "", last));
  });
  std::unique_ptr<driver::Executable> executable = isLowered ? target.backend->load(job) : nullptr;
  std::vector<driver::Datum> data(inputs.begin(), inputs.end());
  auto results = executable ? executable->run(data) : FailureOr<std::vector<driver::Datum>>();
  if (failed(results)) {
    return "does not compile or run for target '" + target.name + "'";
  }
  outputs = driver::tensorsOf(*results);
  return "";
}

} // namespace convoy::test
