// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy reduce`: reads the model and the flags, calls reduce/ReduceModel.h, and writes the small
// model and a script with the command that shows the failure.

#include "Driver/AddProblem.h"
#include "Driver/ShellWord.h"
#include "convoy/version.h"
#include "io/Files.h"
#include "io/InputData.h"
#include "reduce/ReduceModel.h"
#include "tools/convoy/Interrupt.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

namespace convoy::tool {
namespace {

namespace fs = llvm::sys::fs;

/// A folder in the temporary folder, which the destructor removes.
class WorkFolder {
public:
  WorkFolder() : error(fs::createUniqueDirectory("convoy-reduce", folder)) {}
  WorkFolder(const WorkFolder &) = delete;
  WorkFolder &operator=(const WorkFolder &) = delete;
  ~WorkFolder() {
    if (!error) {
      (void)fs::remove_directories(folder);
    }
  }

  std::error_code problem() const { return error; }
  std::string path() const { return folder.str().str(); }

private:
  llvm::SmallString<128> folder;
  std::error_code error;
};

reduce::Goal goalOf(const ReduceFlags &flags) {
  return flags.isSlow    ? reduce::Goal::Slow
         : flags.isCrash ? reduce::Goal::Crash
                         : reduce::Goal::Check;
}

class Reducer {
public:
  Reducer(const ReduceFlags &flags, Console &console)
      : flags(flags), console(console), progress(console) {}

  ExitCode run() {
    bool isDone = read() && reduce();
    progress.end();
    if (!isDone || !write()) {
      return fail(problems, console);
    }
    print(console.err, problems);
    return printResult(
        flags.json, [&](llvm::raw_ostream &os) { printJson(os, toJson()); },
        [&](llvm::raw_ostream &) { printText(console.summary()); }, console);
  }

private:
  bool read() {
    if (folder.problem()) {
      addError(problems, "cannot create a temporary folder: " + folder.problem().message());
      return false;
    }
    Result<Model> model = Model::read(flags.build.model.path);
    problems.append(model.problems());
    if (!model) {
      return false;
    }
    request.emplace(reduce::ReduceRequest{*model, {}, {}, {}, {}, {}, {}, {}, {}});
    request->path = flags.build.model.path;
    request->pins = io::readModelFlags(flags.build.model, *model, problems);
    readInputs();
    readTest();
    makeFolder();
    request->limits.trials = static_cast<size_t>(flags.trials);
    request->limits.seconds = flags.seconds;
    request->limits.isInterrupted = [] { return Interrupt::isSet(); };
    return !problems.hasErrors();
  }

  /// Returns the path of `convoy`, which is beside the running program.
  static std::string programPath() {
    llvm::SmallString<256> path(
        llvm::sys::path::parent_path(fs::getMainExecutable("convoy", nullptr)));
    llvm::sys::path::append(path, "convoy");
    return std::string(path);
  }

  /// Creates the folder of the result early, so that an error appears before a long run.
  void makeFolder() {
    if (!fs::can_execute(programPath())) {
      addError(problems, "cannot run '" + programPath() +
                             "', which tests the candidates; install Convoy again");
    }
    std::string file = outputFile();
    llvm::StringRef parent = llvm::sys::path::parent_path(file);
    llvm::Error error = createParentFolder(file);
    if (!error && !parent.empty() && !fs::is_directory(parent)) {
      error = cannotWrite(file, std::make_error_code(std::errc::not_a_directory));
    }
    if (error) {
      addError(problems, withPrefix("--output: ", std::move(error)));
    }
  }

  void readTest() {
    reduce::TestOptions &test = request->test;
    test.goal = goalOf(flags);
    test.program = programPath();
    test.flags = flags.forwarded;
    test.message = flags.message;
    test.slowShare = flags.share;
    test.folder = folder.path();
    test.limits.cpuSeconds = flags.timeoutMs / 1e3;
    test.limits.memoryBytes = flags.memoryBytes;
    test.limits.isCanceled = [] { return Interrupt::isSet(); };
    request->candidateName = llvm::sys::path::filename(outputFile()).str();
  }

  /// Finds the input of each --input, as `convoy check` does.
  void readInputs() {
    std::vector<io::InputInfo> inputs = io::dataInputs(request->model, request->pins);
    for (const std::string &flag : flags.inputs) {
      request->inputFlags.push_back("--input=" + flag);
      auto [name, rest] = llvm::StringRef(flag).split('=');
      auto isNamed = [name = name](const io::InputInfo &input) { return input.name == name; };
      if (!rest.empty() && llvm::any_of(inputs, isNamed)) {
        request->inputFiles[name.str()] = rest.str();
        continue;
      }
      for (const io::InputInfo &input : inputs) {
        bool isNew = request->inputFiles.try_emplace(input.name, flag).second;
        // A single "random" is for all inputs.
        if (isNew && (flags.inputs.size() > 1 || name.split(':').first != "random")) {
          break;
        }
      }
    }
    if (flags.inputs.empty()) {
      request->inputFlags.emplace_back("--input=random"); // the default of `check`, not of `run`
    }
  }

  /// Returns the path of the reduced model.
  std::string outputFile() const {
    if (llvm::StringRef(flags.output).ends_with(".onnx")) {
      return flags.output;
    }
    llvm::SmallString<256> file(flags.output);
    llvm::sys::path::append(file, llvm::sys::path::stem(flags.build.model.path) + ".reduced.onnx");
    return std::string(file);
  }

  bool reduce() {
    Interrupt interrupt;
    std::string step;
    request->progress = [&](const std::string &name) {
      step = name;
      progress.begin(name);
    };
    request->limits.progress = [&](size_t trials, size_t nodes) {
      progress.show(llvm::formatv("{0}: candidate {1}, {2} nodes", step, trials + 1, nodes).str());
    };
    Result<reduce::ReduceResult> done = reduce::reduceModel(std::move(*request));
    problems.append(done.problems());
    if (done) {
      result = std::move(*done);
    }
    return result.has_value();
  }

  /// Returns the command that shows the failure, with this model.
  std::string commandFor(const std::string &path) const {
    std::vector<std::string> words;
    for (const std::string &word : result->command) {
      words.push_back(driver::shellWord(word));
    }
    words[2] = path;
    return llvm::join(words, " ");
  }

  bool write() {
    model = outputFile();
    if (llvm::Error error = io::writeFile(model, result->model)) {
      addError(problems, withPrefix("--output: ", std::move(error)));
      return false;
    }
    command = commandFor(driver::shellWord(model));
    // The script finds the model beside it, wherever the reader of a report stores both.
    std::string beside =
        "\"$(dirname \"$0\")\"/" + driver::shellWord(llvm::sys::path::filename(model));
    script = llvm::StringRef(model).drop_back(llvm::StringRef(".onnx").size()).str() + ".sh";
    std::string text = "# Shows a failure of convoy " + std::string(versionText()) + " (" +
                       llvm::StringRef(result->failure.kind).split('\n').first.str() +
                       "). Attach this file and the model to the bug report.\n" +
                       commandFor(beside) + "\n";
    if (llvm::Error error = io::writeFile(script, text)) {
      addError(problems, withPrefix("--output: ", std::move(error)));
      return false;
    }
    if (!result->stopReason.empty()) {
      problems.add(
          {ProblemKind::Warning,
           "the search ended by " + result->stopReason +
               ", so a smaller model may exist; raise the limit or reduce the result again",
           {}});
    }
    return true;
  }

  llvm::json::Object toJson() const {
    return llvm::json::Object{
        {"model", llvm::json::fixUTF8(llvm::sys::path::stem(flags.build.model.path))},
        {"failure", llvm::json::fixUTF8(result->failure.kind)},
        {"nodes_before", static_cast<int64_t>(result->nodesBefore)},
        {"nodes_after", static_cast<int64_t>(result->nodesAfter)},
        {"ops", llvm::json::Array(result->ops)},
        {"candidates", static_cast<int64_t>(result->trials)},
        {"cached", static_cast<int64_t>(result->cached)},
        {"cpu_seconds", result->cpuSeconds},
        {"generated_weights", static_cast<int64_t>(result->generatedWeights)},
        {"float_weights", static_cast<int64_t>(result->floatWeights)},
        {"stopped_by", result->stopReason},
        {"command", llvm::json::fixUTF8(command)},
        {"files", llvm::json::Array{model, script}},
        {"warnings", warningsToJson(problems)}};
  }

  void printText(llvm::raw_ostream &os) const {
    auto row = [&](const char *title, const std::string &text) {
      os << llvm::formatv("{0,-10} {1}\n", title, text);
    };
    row("failure", result->failure.kind);
    row("nodes", llvm::formatv("{0} -> {1}: {2}", result->nodesBefore, result->nodesAfter,
                               llvm::join(result->ops, ", "))
                     .str());
    row("weights", llvm::formatv("{0} of {1} float tensors have generated elements",
                                 result->generatedWeights, result->floatWeights)
                       .str());
    row("candidates", llvm::formatv("{0} tested, {1} known, {2} of CPU time", result->trials,
                                    result->cached, durationText(result->cpuSeconds))
                          .str());
    os << "wrote " << model << "\nwrote " << script << "\n" << command << "\n";
  }

  const ReduceFlags &flags;
  Console &console;
  Progress progress;
  Problems problems;
  WorkFolder folder;
  std::optional<reduce::ReduceRequest> request;
  std::optional<reduce::ReduceResult> result;
  std::string model, script, command;
};

} // namespace

ExitCode reduce(const ReduceFlags &options, Console &console) {
  return Reducer(options, console).run();
}

} // namespace convoy::tool
