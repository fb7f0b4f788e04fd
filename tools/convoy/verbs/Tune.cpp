// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy tune`: lists the tasks of a model, or searches them with tuning/network/TuneModel.h
// and prints the result.

#include "Driver/AddProblem.h"
#include "Support/PercentText.h"
#include "Support/TextTable.h"
#include "timing/MeasureProgram.h"
#include "tools/convoy/Interrupt.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/Progress.h"
#include "tools/convoy/service/Service.h"
#include "tuning/network/NetworkTasks.h"
#include "tuning/network/ResultJson.h"
#include "tuning/network/TuneModel.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <mutex>

namespace convoy::tool {
namespace {

using tuning::ModelTask;
using tuning::ModelTasks;

void printText(llvm::raw_ostream &os, const ModelTasks &tasks) {
  int64_t entries = 0;
  constexpr ColumnKind kNumber = ColumnKind::Number;
  TextTable table(
      {{"weight", kNumber}, {"count", kNumber}, {"points", kNumber}, {"tried", kNumber}, {"task"}});
  for (const ModelTask &task : tasks.tasks) {
    entries += static_cast<int64_t>(task.space.entries.size());
    table.add({percentText(task.weight), std::to_string(task.count),
               std::to_string(task.space.points), std::to_string(task.space.entries.size()),
               task.task.name});
    if (!task.space.entries.empty()) {
      const tuning::Configuration &first = task.space.first().configuration;
      table.add({"", "", "", "",
                 (first.text.empty() ? "generic loops" : first.text) + ", " + first.inputLayout +
                     " -> " + first.outputLayout});
    }
  }
  table.print(os);
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

void printTasksJson(llvm::raw_ostream &os, const ModelTasks &tasks) {
  llvm::json::Array list;
  for (const ModelTask &task : tasks.tasks) {
    list.push_back(toJson(task));
  }
  os << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{{"tasks", std::move(list)},
                                                                      {"untuned", tasks.untuned}}));
}

/// Returns a number with separators between groups of three digits.
std::string countText(double count) { return llvm::formatv("{0:N}", std::llround(count)).str(); }

/// Returns a time, or a count of instructions.
std::string quantityText(double seconds, bool isCounted) {
  return isCounted ? countText(seconds * 1e9) : llvm::formatv("{0:f3} ms", seconds * 1e3).str();
}

/// Prints the result of a search as text or JSON.
class TunePrinter {
public:
  TunePrinter(const TuneFlags &options, const tuning::TuneResult &result)
      : options(options), result(result), state(result.state),
        isCounted(result.policy == tuning::Policy::Instructions) {}

  std::string networkText() const {
    if (!result.network) {
      return "Interrupted: the network was not timed. Run the same command again to continue.\n";
    }
    if (!result.network->isChanged) {
      return "No measured configuration was faster than the compiler's default.\n";
    }
    std::string text = isCounted ? countsText() : timesText();
    if (result.network->verdict.keepsDefault) {
      return text +
             "The tuned network was not faster: compiling with these records keeps the default.\n";
    }
    size_t passed = result.network->verdict.passedOver.size();
    return passed == 0 ? text
                       : text + std::to_string(passed) +
                             " configurations were rejected: they were slower inside the network\n";
  }

  std::string timesText() const {
    return llvm::formatv("inference: {0:f3} ms before, {1:f3} ms after, {2:f3}x (95 % interval "
                         "{3:f3} .. {4:f3}, {5} pairs in turn)\n",
                         result.network->beforeMs, result.network->afterMs,
                         result.network->ratio.value, result.network->ratio.low,
                         result.network->ratio.high, result.network->pairs);
  }

  std::string countsText() const {
    std::string text =
        llvm::formatv("inference: {0} instructions before, {1} after, {2:f3}x\n",
                      countText(result.network->beforeMs * 1e6),
                      countText(result.network->afterMs * 1e6), result.network->ratio.value);
    auto before = static_cast<double>(result.network->beforeCycles);
    auto after = static_cast<double>(result.network->afterCycles);
    return before == 0
               ? text
               : text + llvm::formatv("           {0} cycles before, {1} after, {2:f3}x, by "
                                      "the target's table of instructions\n",
                                      countText(before), countText(after), after / before)
                            .str();
  }

  void printText(llvm::raw_ostream &os) const {
    os << llvm::formatv(
        "{0} trials in {1:f1} s, {2} failed; {3}kernels one by one: {4} before, "
        "{5} after\n",
        state.trials, state.seconds, state.failed, isCounted ? "instructions of " : "",
        quantityText(state.defaultSeconds, isCounted), quantityText(state.bestSeconds, isCounted));
    if (state.waitedSeconds > 0) {
      os << llvm::formatv("waited {0:f0} s for an idle machine (not counted)\n",
                          state.waitedSeconds);
    }
    os << networkText();
    if (options.search.targetMs > 0) {
      os << llvm::formatv("target of {0:f3} ms: {1}\n", options.search.targetMs,
                          state.isTargetReached ? "reached by estimate" : "not reached");
    }
    os << "To use the records: convoy compile " << options.build.model.path
       << (options.build.target == "host" ? "" : " --target " + options.build.target)
       << " --records " << options.build.records
       << (options.build.threads == 1 ? "" : " --threads " + std::to_string(options.build.threads))
       << "\n";
  }

private:
  const TuneFlags &options;
  const tuning::TuneResult &result;
  const tuning::TuningState &state;
  bool isCounted;
};

std::string progressText(const tuning::TuneProgress &at, size_t taskCount) {
  std::string left = at.secondsLeft ? llvm::formatv("{0:f0} s left, ", *at.secondsLeft).str() : "";
  std::string change =
      at.isCounted ? llvm::formatv("{0} -> {1} instructions", countText(at.modelSeconds * 1e9),
                                   countText(at.state.estimateSeconds * 1e9))
                         .str()
                   : llvm::formatv("{0:f3} -> {1:f3} ms", at.modelSeconds * 1e3,
                                   at.state.estimateSeconds * 1e3)
                         .str();
  return llvm::formatv("{0,5} trials, {1:f1}/s, {2}{3} of {4} tasks  inference {5}  {6}",
                       at.state.trials, static_cast<double>(at.state.trials) / at.state.seconds,
                       left, at.state.tasksTried, taskCount, change, at.state.task)
      .str();
}

tuning::TuneRequest requestOf(const TuneFlags &options, const CompileRequest &compile,
                              Progress &progress, Console &console, std::mutex &printing) {
  tuning::TuneRequest request;
  request.compile = compile;
  request.records = options.build.records;
  request.search = options.search;
  request.isInterrupted = Interrupt::isSet;
  // The thread that measures calls it while this thread shows progress.
  request.say = [&](const std::string &text) {
    std::lock_guard<std::mutex> lock(printing);
    progress.end();
    console.err << text << "\n";
  };
  return request;
}

/// Adds an error for each flag that concerns only a service or only this machine.
void checkServiceFlags(const TuneFlags &options, Problems &problems) {
  bool isService = options.job.isGiven();
  for (const char *flag :
       {"--device-class", "--project", "--priority", "--device-time", "--detach"}) {
    if (options.build.given.count(flag) && !isService) {
      addError(problems, llvm::Twine(flag) + " has no effect without --service: it concerns the "
                                             "job of a tuning service");
    }
  }
  for (const char *flag : {"--space", "--no-transfer", "--timeout", "--wait"}) {
    if (options.build.given.count(flag) && isService) {
      addError(problems, llvm::Twine(flag) + " has no effect with --service: it concerns a search "
                                             "on this machine");
    }
  }
}

llvm::Error search(const TuneFlags &options, const Request &request, const ModelTasks &tasks,
                   ExitCode &printed, Console &console) {
  Interrupt interrupt;
  llvm::Expected<std::string> program = timing::findMeasureProgram();
  if (!program) {
    return program.takeError();
  }
  Progress progress(console);
  std::mutex printing;
  tuning::TuneRequest wanted = requestOf(options, request.compile, progress, console, printing);
  wanted.program = std::move(*program);
  llvm::Expected<tuning::TuneResult> result =
      tuning::tuneModel(request.model, wanted, tasks, [&](const tuning::TuneProgress &at) {
        std::lock_guard<std::mutex> lock(printing);
        std::string text = progressText(at, tasks.tasks.size());
        if (console.isTerminal) {
          progress.show(text);
        } else if (!options.json.isStdout() && !console.isQuiet) {
          console.err << text << "\n"; // a log of a search that may take hours
        }
      });
  progress.end();
  if (!result) {
    return result.takeError();
  }
  TunePrinter printer(options, *result);
  printed = printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, tuning::toJson(*result, wanted)); },
      [&](llvm::raw_ostream &) { printer.printText(console.summary()); }, console);
  return llvm::Error::success();
}

} // namespace

ExitCode tune(const TuneFlags &options, Console &console) {
  Problems problems;
  checkServiceFlags(options, problems);
  if (isServiceRecords(options.build.records)) {
    addError(problems, "--records: `convoy tune` expects a file, got '" + options.build.records +
                           "'; add --service URL to tune with a service");
  }
  if (!options.listTasks && options.build.records.empty() && !options.job.isGiven()) {
    addError(problems, "`convoy tune` expects a file for its measurements; add --records FILE, "
                       "--service URL to measure elsewhere, or --list-tasks to list the tasks");
    return fail(problems, console);
  }
  for (const char *flag : {"--place", "--require-device"}) {
    if (options.build.given.count(flag)) {
      addError(problems, llvm::Twine(flag) + " has no effect on `convoy tune`: it concerns "
                                             "devices, and tuning measures kernels of the CPU");
    }
  }
  if (problems.hasErrors()) {
    return fail(problems, console);
  }
  BuildFlags build = options.build;
  build.records.clear(); // the search writes this file; readRequest must not read it
  std::optional<Request> request = readRequest(build, Emit::Library, problems);
  if (!request || problems.hasErrors()) {
    return fail(problems, console);
  }
  Result<ModelTasks> tasks = tuning::networkTasks(request->model, request->compile, options.space);
  problems.append(tasks.problems());
  ExitCode printed = kDone;
  if (tasks && !options.listTasks) {
    auto *run = options.job.isGiven() ? tuneByService : search;
    if (llvm::Error error = run(options, *request, *tasks, printed, console)) {
      addError(problems, std::move(error));
    }
  }
  if (!tasks || problems.hasErrors()) {
    return fail(problems, console);
  }
  print(console.err, problems);
  if (options.listTasks) {
    printed = printResult(
        options.json, [&](llvm::raw_ostream &os) { printTasksJson(os, *tasks); },
        [&](llvm::raw_ostream &os) { printText(os, *tasks); }, console);
  }
  return printed;
}

} // namespace convoy::tool
