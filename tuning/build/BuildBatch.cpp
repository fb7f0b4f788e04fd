// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts requests and results to JSON for the build processes.

#include "tuning/build/BuildBatch.h"
#include "tuning/build/HashFile.h"

namespace convoy::tuning {
namespace {

namespace json = llvm::json;

BuildResult resultOf(llvm::Expected<BuiltCandidate> built) {
  BuildResult result;
  if (!built) {
    llvm::handleAllErrors(built.takeError(), [&](const BuildError &error) {
      result.problem = name(error.problem).str();
      result.message = error.text;
    });
    return result;
  }
  result.candidate = std::move(*built);
  return result;
}

json::Object toJson(const BuildResult &result) {
  const codegen::LibraryFiles &files = result.candidate.files;
  const BuildTimes &times = result.candidate.times;
  return json::Object{
      {"problem", result.problem},      {"message", json::fixUTF8(result.message)},
      {"library", files.library},       {"header", files.header},
      {"model", files.interface.model}, {"hash", files.interface.hash},
      {"artefact", result.artifact},    {"workspace", files.interface.workspaceBytes},
      {"read", times.readSeconds},      {"stages", times.stagesSeconds},
      {"emit", times.emitSeconds}};
}

std::string textIn(const json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

} // namespace

json::Object toJson(const BuildRequest &request, llvm::StringRef name) {
  const Configuration &c = request.configuration;
  return json::Object{{"task", request.task.text}, {"taskName", json::fixUTF8(request.task.name)},
                      {"template", c.templateId},  {"version", c.templateVersion},
                      {"configuration", c.text},   {"input", c.inputLayout},
                      {"output", c.outputLayout},  {"name", name}};
}

json::Object answerBuild(const json::Object &request, const BuildOptions &options) {
  Task task{textIn(request, "task"), textIn(request, "taskName")};
  Configuration configuration{
      textIn(request, "template"), static_cast<int>(request.getInteger("version").value_or(0)),
      textIn(request, "configuration"), textIn(request, "input"), textIn(request, "output")};
  BuildResult result =
      resultOf(buildCandidate(task, configuration, options, textIn(request, "name")));
  if (result.isBuilt()) {
    result.artifact = hashOfFile(result.candidate.files.library);
  }
  return toJson(result);
}

BuildResult toBuildResult(const WorkerAnswer &answer) {
  BuildResult result;
  if (!answer.problem.empty()) {
    result.problem = answer.problem;
    result.message = answer.message;
    return result;
  }
  const json::Object &object = answer.content;
  auto number = [&](llvm::StringRef key) { return object.getNumber(key).value_or(0); };
  codegen::LibraryFiles &files = result.candidate.files;
  result.problem = textIn(object, "problem");
  result.message = textIn(object, "message");
  result.artifact = textIn(object, "artefact");
  files.library = textIn(object, "library");
  files.header = textIn(object, "header");
  files.interface.model = textIn(object, "model");
  files.interface.hash = textIn(object, "hash");
  files.interface.workspaceBytes = object.getInteger("workspace").value_or(0);
  result.candidate.times = {number("read"), number("stages"), number("emit")};
  return result;
}

std::vector<BuildResult> buildBatch(llvm::ArrayRef<BuildRequest> requests,
                                    const BatchOptions &options, llvm::StringRef prefix) {
  WorkerPoolOptions pool;
  pool.cpus.assign(static_cast<size_t>(std::max(options.processes, 1)), -1);
  pool.timeoutSeconds = options.timeoutSeconds;
  WorkerPool workers(
      [&](const json::Object &request) { return answerBuild(request, options.build); }, pool);
  uint64_t first = 0;
  for (auto [i, request] : llvm::enumerate(requests)) {
    uint64_t ticket = workers.submit(toJson(request, (prefix + llvm::Twine(i)).str()));
    first = i == 0 ? ticket : first;
  }
  std::vector<BuildResult> results(requests.size());
  for (BuildResult &result : results) {
    result.problem = "crash";
    result.message = "cannot start a build process";
  }
  while (workers.unanswered() > 0 && workers.running() > 0) {
    for (const WorkerAnswer &answer : workers.wait(1)) {
      results[answer.ticket - first] = toBuildResult(answer);
    }
    workers.start();
  }
  return results;
}

} // namespace convoy::tuning
