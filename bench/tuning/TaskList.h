// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the output of `convoy tune --list-tasks MODEL --json`.

#pragma once

#include "tuning/space/Task.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <vector>

namespace convoy::tuning {

struct ListedTask {
  Task task;
  double weight = 0;
};

inline bool fromJSON(const llvm::json::Value &value, ListedTask &task, llvm::json::Path path) {
  llvm::json::ObjectMapper members(value, path);
  return members && members.map("text", task.task.text) && members.map("name", task.task.name) &&
         members.map("weight", task.weight);
}

inline llvm::Expected<std::vector<ListedTask>> readTaskList(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    return llvm::createStringError(path + ": " + buffer.getError().message());
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) {
    return value.takeError();
  }
  std::vector<ListedTask> tasks;
  llvm::json::Path::Root root(path);
  llvm::json::ObjectMapper members(*value, root);
  if (!members || !members.map("tasks", tasks)) {
    return llvm::createStringError(path + ": expected tasks with text, name and weight");
  }
  return tasks;
}

} // namespace convoy::tuning
