// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/jobs/ModelJob.h"
#include "Support/TemporaryFolder.h"
#include "tuning/network/NetworkTasks.h"

namespace convoy::service {
namespace {

llvm::Error toError(const Problems &problems) {
  std::string text;
  for (const Problem &problem : problems.all()) {
    text += (text.empty() ? "" : "; ") + problem.text;
  }
  return llvm::createStringError(text);
}

} // namespace

llvm::Expected<std::vector<TaskSpec>> tasksOfModel(const std::string &file, const JobSpec &spec) {
  Result<Model> model = Model::read(file);
  if (!model) {
    return toError(model.problems());
  }
  // A compile reads the description of a target from a file.
  TemporaryFolder folder;
  if (llvm::Error error = folder.createInSystem()) {
    return std::move(error);
  }
  CompileRequest request;
  request.target.name = folder.file("target.json");
  request.schedule.threads = spec.threads();
  if (llvm::Error error = writeFile(request.target.name, spec.target())) {
    return std::move(error);
  }
  Result<tuning::ModelTasks> found = tuning::networkTasks(*model, request, /*spaceFile=*/"");
  if (!found) {
    return toError(found.problems());
  }
  std::vector<TaskSpec> tasks;
  for (const tuning::ModelTask &task : found->tasks) {
    TaskSpec &added = tasks.emplace_back();
    added.set_name(task.task.name);
    added.set_text(task.task.text);
    added.set_count(task.count);
    added.set_weight(task.weight);
  }
  return tasks;
}

} // namespace convoy::service
