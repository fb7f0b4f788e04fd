// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a compile up to the fusion stage, whose kernels are the tuning tasks.

#include "tuning/network/NetworkTasks.h"
#include "Driver/AddProblem.h"
#include "Driver/ImportRequested.h"
#include "Driver/RequestOptions.h"
#include "Pipeline/RunStages.h"
#include "io/Files.h"

using namespace mlir;

namespace convoy::tuning {
namespace {

llvm::Expected<std::optional<SpaceFile>> readSpace(const std::string &path) {
  if (path.empty()) {
    return std::nullopt;
  }
  auto buffer = io::readFile(path);
  if (!buffer) {
    return withPrefix("--space: ", buffer.takeError());
  }
  llvm::Expected<SpaceFile> file = SpaceFile::parse((*buffer)->getBuffer(), path);
  if (!file) {
    return withPrefix("--space: ", file.takeError());
  }
  return std::move(*file);
}

llvm::Expected<ModelTasks> tasksIn(ModuleOp module, const StageOptions &options,
                                   const std::string &spaceFile) {
  llvm::Expected<std::optional<SpaceFile>> file = readSpace(spaceFile);
  if (!file) {
    return file.takeError();
  }
  SpaceOptions space;
  space.machine = options.machine;
  space.isStrictMath = options.layout.isStrictMath;
  space.file = *file ? &**file : nullptr;
  return tasksOf(module, space, options.layout.threads);
}

} // namespace

Result<ModelTasks> networkTasks(const Model &model, const CompileRequest &request,
                                const std::string &spaceFile) {
  driver::CompileContext context;
  Problems &problems = context.log.problems();
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request.target, /*isForMemory=*/false);
  if (!target) {
    addError(problems, target.takeError());
    return problems;
  }
  llvm::Expected<StageOptions> options = driver::stageOptionsFor(request, *target, model.name());
  if (!options) {
    addError(problems, options.takeError());
    return problems;
  }
  OwningOpRef<ModuleOp> module = driver::importRequested(model, request, *target, context);
  if (!module || failed(runStages(*module, *options, "", "fusion"))) {
    return problems;
  }
  llvm::Expected<ModelTasks> tasks = tasksIn(*module, *options, spaceFile);
  if (!tasks) {
    addError(problems, tasks.takeError());
    return problems;
  }
  return Result<ModelTasks>(std::move(*tasks), problems);
}

} // namespace convoy::tuning
