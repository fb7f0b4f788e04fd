// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy tune`: what there is to tune in a model, and the search for it.

#include "Codegen/LLVM/TemporaryFolder.h"
#include "Files.h"
#include "Measurer.h"
#include "ModelFlags.h"
#include "Pipeline/TargetOptions.h"
#include "Session.h"
#include "Verbs.h"
#include "tuning/dispatch/LocalTuner.h"
#include "tuning/measure/LocalMeasurer.h"
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
    buildPipeline(passes, optionsFor(target, options.threads), "fusion");
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

/// The search, from tasks to records.
class ModelTuner {
public:
  ModelTuner(const TuneOptions &options, const ModelTasks &tasks, Console &console)
      : options(options), tasks(tasks), console(console) {}

  llvm::Error run() {
    llvm::Expected<std::string> program = findMeasureProgram();
    llvm::Expected<targets::Target> target = targets::findTarget(options.target);
    llvm::Expected<tuning::RecordStore> store =
        tuning::RecordStore::open(options.records, tuning::RecordStore::Access::Write);
    if (!program || !target || !store) {
      return llvm::joinErrors(program.takeError(),
                              llvm::joinErrors(target.takeError(), store.takeError()));
    }
    codegen::TemporaryFolder scratch;
    llvm::SmallString<128> parent;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
    if (llvm::Error error = scratch.create(parent)) {
      return error;
    }
    tuning::TuningSetup setup;
    setup.target = *target;
    setup.folder = scratch.path().str();
    setup.searcher = options.searcher;
    setup.seed = options.seed;
    int threads = static_cast<int>(options.threads == 0 ? target->cores : options.threads);
    setup.plan.threads = threads;
    setup.plan.timeoutMs = options.timeoutMs;
    tuning::TuningBudget budget;
    budget.trials = options.trials;
    budget.seconds =
        options.trials == 0 && options.seconds == 0 ? kDefaultSeconds : options.seconds;
    budget.batch = options.batch;
    tuning::LocalOptions local;
    local.program = *program;
    local.watch.cpus = tuning::usableCpus();
    local.watch.threads = threads;
    local.say = [&](const std::string &text) { console.err << text << "\n"; };
    tuning::LocalMeasurer measurer(local);
    tuning::LocalTuner tuner(tasks, setup, budget, measurer, *store);
    tuning::GainPolicy policy;
    auto state = tuner.run(policy, [&](const tuning::TuningState &now) { show(now); });
    if (!state) {
      return state.takeError();
    }
    finish(*state);
    return llvm::Error::success();
  }

private:
  static constexpr double kDefaultSeconds = 600;

  void show(const tuning::TuningState &state) {
    if (!options.isJson) {
      console.err << llvm::formatv("{0,5} trials  {1,6:f1} s  {2:f1}/s  {3:f3} -> {4:f3} ms  {5}\n",
                                   state.trials, state.seconds,
                                   static_cast<double>(state.trials) / state.seconds,
                                   state.defaultSeconds * 1e3, state.bestSeconds * 1e3, state.task);
    }
  }

  void finish(const tuning::TuningState &state) {
    if (options.isJson) {
      console.out << llvm::formatv(
          "{0:2}\n", llvm::json::Value(llvm::json::Object{{"trials", state.trials},
                                                          {"failed", state.failed},
                                                          {"seconds", state.seconds},
                                                          {"defaultMs", state.defaultSeconds * 1e3},
                                                          {"bestMs", state.bestSeconds * 1e3},
                                                          {"records", options.records}}));
      return;
    }
    console.out << llvm::formatv(
        "{0} trials in {1:f1} s, {2} failed; kernels one by one: {3:f3} ms before, {4:f3} ms "
        "after\n"
        "convoy compile {5} --records {6}{7} uses them\n",
        state.trials, state.seconds, state.failed, state.defaultSeconds * 1e3,
        state.bestSeconds * 1e3, options.model.path, options.records,
        options.threads == 1 ? "" : " --threads " + std::to_string(options.threads));
  }

  const TuneOptions &options;
  const ModelTasks &tasks;
  Console &console;
};

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
    if (llvm::Error error = ModelTuner(options, *tasks, console).run()) {
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
