// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the tasks of a model and their spaces.

#include "tuning/space/ModelTasks.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace convoy::tuning {

llvm::Expected<ModelTasks> tasksOf(ModuleOp module, const SpaceOptions &options, int64_t threads) {
  ModelTasks result;
  llvm::StringMap<size_t> known; // by text
  std::vector<graph::KernelOp> kernels;
  module.walk([&](graph::KernelOp kernel) { kernels.push_back(kernel); });
  for (graph::KernelOp kernel : kernels) {
    std::optional<Task> task = taskOf(kernel, {options.isStrictMath, threads});
    if (!task) {
      ++result.untuned;
      continue;
    }
    auto [found, isNew] = known.try_emplace(task->text, result.tasks.size());
    if (isNew) {
      llvm::Expected<TaskSpace> space = spaceOf(kernel, options);
      if (!space) {
        return space.takeError();
      }
      result.tasks.push_back({std::move(*task), std::move(*space)});
    }
    ++result.tasks[found->second].count;
  }
  double total = 0;
  for (ModelTask &task : result.tasks) {
    task.weight = static_cast<double>(task.count) *
                  (task.space.entries.empty() ? 0 : task.space.first().cycles);
    total += task.weight;
  }
  for (ModelTask &task : result.tasks) {
    task.weight /= total > 0 ? total : 1;
  }
  return result;
}

} // namespace convoy::tuning
