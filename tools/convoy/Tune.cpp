// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy tune`: what there is to tune in a model; TuneModel.h searches it.

#include "Files.h"
#include "ModelFlags.h"
#include "Pipeline/TargetOptions.h"
#include "Session.h"
#include "TuneModel.h"
#include "tuning/space/ModelTasks.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace convoy::driver {
namespace {

using tuning::ModelTask;
using tuning::ModelTasks;

/// The tasks of a model, or nothing after problems in the log.
class TaskLister {
public:
  explicit TaskLister(const TuneOptions &options) : options(options) {}

  std::optional<ModelTasks> list(DiagnosticLog &log, Session &session) {
    llvm::Expected<targets::Target> target = targets::findTarget(options.target);
    if (!target) {
      log.add(target.takeError());
      return std::nullopt;
    }
    if (!readSpace(log)) {
      return std::nullopt;
    }
    OwningOpRef<ModuleOp> module = fuse(log, session, *target);
    if (!module) {
      return std::nullopt;
    }
    tuning::SpaceOptions space;
    space.machine = machineOf(*target);
    space.isStrictMath = options.math == "strict";
    space.file = file ? &*file : nullptr;
    int64_t threads = options.threads == 0 ? target->cores : options.threads;
    llvm::Expected<ModelTasks> tasks = tuning::tasksOf(*module, space, threads);
    if (!tasks) {
      log.add(tasks.takeError());
      return std::nullopt;
    }
    return std::move(*tasks);
  }

private:
  bool readSpace(DiagnosticLog &log) {
    if (options.space.empty()) {
      return true;
    }
    auto buffer = readFile(options.space);
    if (!buffer) {
      log.add(buffer.takeError());
      return false;
    }
    llvm::Expected<tuning::SpaceFile> read =
        tuning::SpaceFile::parse((*buffer)->getBuffer(), options.space);
    if (!read) {
      log.add(read.takeError());
      return false;
    }
    file = std::move(*read);
    return true;
  }

  /// The model behind the fusion stage, or null.
  OwningOpRef<ModuleOp> fuse(DiagnosticLog &log, Session &session, const targets::Target &target) {
    llvm::Expected<import::Model> model = import::readModel(options.model.path);
    if (!model) {
      log.add(model.takeError());
      return nullptr;
    }
    import::ImportOptions importOptions = readModelFlags(options.model, *model, log);
    if (log.hasErrors()) {
      return nullptr;
    }
    OwningOpRef<ModuleOp> module = session.import(*model, importOptions);
    if (!module) {
      return nullptr;
    }
    PassManager passes(session.context());
    convoy::CompileOptions stageOptions = optionsFor(target, options.threads);
    stageOptions.quantize.isInteger = options.integer == "on";
    buildPipeline(passes, stageOptions, "fusion");
    return succeeded(passes.run(*module)) ? std::move(module) : nullptr;
  }

  const TuneOptions &options;
  std::optional<tuning::SpaceFile> file;
};

void printText(llvm::raw_ostream &os, const ModelTasks &tasks) {
  int64_t entries = 0;
  os << "weight  count   points  tried  task\n";
  for (const ModelTask &task : tasks.tasks) {
    entries += static_cast<int64_t>(task.space.entries.size());
    os << llvm::format("%5.1f %%  %5lld  %7lld  %5zu  ", 100 * task.weight,
                       static_cast<long long>(task.count),
                       static_cast<long long>(task.space.points), task.space.entries.size())
       << task.task.name << "\n";
    if (!task.space.entries.empty()) {
      const tuning::Configuration &first = task.space.first().configuration;
      os << "                               " << (first.text.empty() ? "generic loops" : first.text)
         << ", " << first.inputLayout << " -> " << first.outputLayout << "\n";
    }
  }
  os << tasks.tasks.size() << " tasks, " << entries << " configurations; " << tasks.untuned
     << " kernels have none\n";
}

llvm::json::Value toJson(const ModelTask &task) {
  llvm::json::Object rejected;
  for (const auto &[reason, count] : task.space.rejected) {
    rejected[reason] = count;
  }
  llvm::json::Object object{{"key", task.task.key()},
                            {"name", task.task.name},
                            {"text", task.task.text},
                            {"count", task.count},
                            {"weight", task.weight},
                            {"points", task.space.points},
                            {"entries", static_cast<int64_t>(task.space.entries.size())},
                            {"rejected", std::move(rejected)}};
  if (!task.space.entries.empty()) {
    const tuning::Configuration &first = task.space.first().configuration;
    object["default"] = llvm::json::Object{{"template", first.templateId},
                                           {"version", first.templateVersion},
                                           {"configuration", first.text},
                                           {"input", first.inputLayout},
                                           {"output", first.outputLayout}};
  }
  return object;
}

void printJson(llvm::raw_ostream &os, const ModelTasks &tasks) {
  llvm::json::Array list;
  for (const ModelTask &task : tasks.tasks) {
    list.push_back(toJson(task));
  }
  os << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{{"tasks", std::move(list)},
                                                                      {"untuned", tasks.untuned}}));
}

} // namespace

ExitCode tune(const TuneOptions &options, Console &console) {
  Session session;
  DiagnosticLog &log = session.log();
  if (!options.listTasks && options.records.empty()) {
    log.addError("`convoy tune` keeps what it measures; add --records FILE, or --list-tasks to see "
                 "what there is to tune");
  }
  std::optional<ModelTasks> tasks;
  if (!log.hasErrors()) {
    tasks = TaskLister(options).list(log, session);
  }
  if (tasks && !options.listTasks) {
    if (llvm::Error error = tuneModel(options, *tasks, console)) {
      log.add(std::move(error));
    }
  }
  log.print(console.err);
  if (!tasks || log.hasErrors()) {
    return log.failureCode(console.err);
  }
  if (!options.listTasks) {
    return kDone;
  }
  if (options.isJson) {
    printJson(console.out, *tasks);
  } else {
    printText(console.out, *tasks);
  }
  return kDone;
}

} // namespace convoy::driver
