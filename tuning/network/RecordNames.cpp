// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the IR text of each task once.

#include "tuning/network/RecordNames.h"
#include "tuning/space/ReadTask.h"

namespace convoy::tuning {
namespace {

/// Returns the readable name of a task, or an empty text if the task cannot be parsed.
std::string nameOf(const std::string &taskText) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask({taskText, ""}, &context);
  if (!module) {
    llvm::consumeError(module.takeError());
    return "";
  }
  std::optional<Task> task = taskOf(module->kernel(), module->settings);
  std::string threads = module->settings.threads == 1
                            ? ""
                            : ", " + std::to_string(module->settings.threads) + " threads";
  return task ? task->name + threads : "";
}

} // namespace

llvm::Expected<std::map<std::string, std::string>> recordNames(RecordStore &store) {
  std::map<std::string, std::string> names;
  llvm::Error error = store.forEach([&](Record &&record) {
    auto [name, isNew] = names.try_emplace(taskHash(record.taskText));
    if (isNew) {
      name->second = nameOf(record.taskText);
    }
  });
  if (error) {
    return std::move(error);
  }
  for (auto it = names.begin(); it != names.end();) {
    it = it->second.empty() ? names.erase(it) : std::next(it);
  }
  return names;
}

} // namespace convoy::tuning
