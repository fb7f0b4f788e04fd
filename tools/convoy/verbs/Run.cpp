// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy run`: compiles a model in memory, runs it once and prints its outputs.

#include "Driver/AddProblem.h"
#include "Driver/CompileModel.h"
#include "Driver/LoadedProgram.h"
#include "Support/TemporaryFolder.h"
#include "io/Files.h"
#include "io/Samples.h"
#include "report/Built.h"
#include "timing/TraceModel.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/PrintSummary.h"
#include "tools/convoy/output/Progress.h"
#include "tools/convoy/output/Results.h"
#include "tools/convoy/verbs/RunData.h"

namespace convoy::tool {
namespace {

class Runner {
public:
  Runner(const RunFlags &options, Console &console)
      : options(options), console(console), progress(console) {}

  ExitCode run() {
    bool isDone = prepare() && execute() && trace();
    progress.end();
    if (!isDone) {
      return fail(problems, console);
    }
    print(console.err, problems);
    return report();
  }

private:
  bool prepare() {
    readLabels();
    if (options.data.samples > 0 || !options.metric.empty()) {
      addError(problems, llvm::Twine(options.metric.empty() ? "--samples" : "--metric") +
                             " is about a data set; add --data DATA");
    }
    if (!options.trace.empty()) {
      addError(problems, report::checkTraceFile(options.trace));
    }
    progress.begin("read");
    request = readRequest(options.build, Emit::Memory, problems);
    if (!request) {
      return false;
    }
    InputPins &pins = request->compile.inputs;
    data =
        io::readInputs({options.inputs, options.build.image}, io::dataInputs(request->model, pins),
                       /*isRandomByDefault=*/false, problems);
    io::pinShapes(pins, data);
    if (!options.trace.empty() && !problems.hasErrors()) {
      addError(problems, timing::checkTraced(request->compile.target));
    }
    return !problems.hasErrors();
  }

  void readLabels() {
    if (options.data.labels.empty()) {
      return;
    }
    if (llvm::Expected<std::vector<std::string>> lines = io::readLines(options.data.labels)) {
      labels = std::move(*lines);
    } else {
      addError(problems, withPrefix("--labels: ", lines.takeError()));
    }
  }

  bool execute() {
    request->compile.progress = showSteps(progress);
    driver::CompileHooks hooks;
    hooks.observer = request->injected.get();
    Result<Artefact> artefact = driver::compileModel(request->model, request->compile, hooks);
    problems.append(artefact.problems());
    if (!artefact) {
      return false;
    }
    summary = std::move(artefact->report);
    progress.begin("run");
    Result<std::vector<Datum>> values = artefact->memory->program().run(data);
    seconds = progress.seconds();
    problems.append(values.problems());
    if (!values) {
      return false;
    }
    for (auto [i, value] : llvm::enumerate(*values)) {
      outputs.push_back({artefact->memory->outputNames()[i], std::move(value)});
    }
    return true;
  }

  /// Runs the model again, with probes, and writes the trace.
  bool trace() {
    if (options.trace.empty()) {
      return true;
    }
    TemporaryFolder folder;
    llvm::Expected<std::string> program = timing::findMeasureProgram();
    if (!program) {
      addError(problems, program.takeError());
    }
    addError(problems, folder.createInSystem());
    timing::TraceRequest wanted{request->compile};
    wanted.inputs = io::toNamedTensors(data, problems);
    wanted.observer = request->injected.get();
    if (problems.hasErrors()) {
      return false;
    }
    progress.begin("trace");
    Result<timing::ModelTrace> traced = timing::traceModel(
        request->model, wanted, timing::MeasureProgram(std::move(*program), folder.path().str()),
        folder.path().str());
    problems.append(traced.problems());
    if (traced) {
      addError(problems, report::writeTrace(options.trace, traced->process));
      traceText = timing::traceSummary(options.trace, *traced);
    }
    return !problems.hasErrors();
  }

  ExitCode report() {
    std::vector<std::string> files;
    if (!options.output.empty()) {
      llvm::Expected<std::vector<std::string>> written =
          writeOutputs(options.output, options.format, outputs);
      if (!written) {
        Problems unwritten;
        addError(unwritten, withPrefix("--output: ", written.takeError()));
        return fail(unwritten, console);
      }
      files = std::move(*written);
    }
    int64_t top = options.top > 0 ? options.top : labels.empty() ? 0 : 5;
    auto printText = [&](llvm::raw_ostream &os) {
      printOutputs(os, outputs, top, labels);
      for (const std::string &file : files) {
        console.summary() << "wrote " << file << "\n";
      }
      console.summary() << traceText;
      console.summary() << "ran " << request->model.name() << " on " << targetName() << " in "
                        << durationText(seconds) << "\n";
      printVerdict(console.summary(), summary.placement);
    };
    auto printFacts = [&](llvm::raw_ostream &os) { printJson(os, toJson(top, files)); };
    return printResult(options.json, printFacts, printText, console);
  }

  /// Returns the name of the target without the parameters of a device. For a description,
  /// this is the name in the file.
  llvm::StringRef targetName() const {
    llvm::StringRef name = request->compile.target.name;
    return name.ends_with(".json") ? llvm::StringRef(summary.target) : name.split(':').first;
  }

  llvm::json::Object toJson(int64_t top, const std::vector<std::string> &files) const {
    return llvm::json::Object{{"model", llvm::json::fixUTF8(request->model.name())},
                              {"target", targetName()},
                              {"seconds", seconds},
                              {"built", report::builtToJson(summary)},
                              {"outputs", outputsToJson(outputs, top, labels)},
                              {"files", llvm::json::Array(files)},
                              {"warnings", warningsToJson(problems)}};
  }

  const RunFlags &options;
  Console &console;
  Progress progress;
  Problems problems;
  std::optional<Request> request;
  CompileReport summary;
  io::NamedData data;
  std::vector<std::string> labels;
  std::vector<NamedOutput> outputs;
  double seconds = 0;
  std::string traceText; // empty: no trace
};

} // namespace

ExitCode run(const RunFlags &options, Console &console) {
  return options.data.data.empty() ? Runner(options, console).run() : runData(options, console);
}

} // namespace convoy::tool
