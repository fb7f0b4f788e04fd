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

inline llvm::Expected<std::vector<ListedTask>> readTaskList(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    return llvm::createStringError(path + ": " + buffer.getError().message());
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) {
    return value.takeError();
  }
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *list = object ? object->getArray("tasks") : nullptr;
  std::vector<ListedTask> tasks;
  for (const llvm::json::Value &entry : list ? *list : llvm::json::Array()) {
    const llvm::json::Object *task = entry.getAsObject();
    if (!task || !task->getString("text") || !task->getString("name") ||
        !task->getNumber("weight")) {
      return llvm::createStringError(path + ": expected tasks with text, name and weight");
    }
    tasks.push_back({{task->getString("text")->str(), task->getString("name")->str()},
                     *task->getNumber("weight")});
  }
  return tasks;
}

} // namespace convoy::tuning
