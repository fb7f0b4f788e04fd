// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy run`: runs a model or a compiled library on one input and prints its outputs. A model is
// compiled to the cache (ModelCache.h), or in memory if it is not for the cache.

#include "Driver/AddProblem.h"
#include "Driver/CompileModel.h"
#include "Driver/InspectLibrary.h"
#include "Driver/LibraryProgram.h"
#include "Support/MonotonicClock.h"
#include "Support/TemporaryFolder.h"
#include "io/Files.h"
#include "io/LibraryInputs.h"
#include "io/PreprocessHint.h"
#include "io/Samples.h"
#include "report/Built.h"
#include "timing/Statistics.h"
#include "timing/TraceModel.h"
#include "tools/convoy/ModelCache.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/arguments/OldNames.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/PrintSummary.h"
#include "tools/convoy/output/Progress.h"
#include "tools/convoy/output/Results.h"
#include "tools/convoy/verbs/RunData.h"

namespace convoy::tool {
namespace {

// A model is run again for this time, so that the printed time is no first run. A slower first run
// is the only one.
constexpr double kRepeatSeconds = 0.02, kSlowSeconds = 0.1;
constexpr size_t kMostRuns = 100;

/// The times of the runs of a model.
struct RunTimes {
  double first = 0;
  std::vector<double> all; // empty: only the first run

  std::string text() const {
    return all.empty()
               ? durationText(first) + " (first run)"
               : durationText(timing::median(all)) + " (" +
                     (all.size() == 1 ? "second run"
                                      : "median of " + std::to_string(all.size()) + " runs") +
                     "; the first took " + durationText(first) + ")";
  }
};

/// What is printed about a model and its compile.
struct RunFacts {
  std::string model, target;
  std::string verdict;      // on the placement; empty: none
  llvm::json::Object built; // report::builtToJson; empty for a library
  int64_t threads = 1;
};

class Runner {
public:
  Runner(const RunFlags &options, Console &console)
      : options(options), console(console), progress(console) {}

  ExitCode run() {
    bool isLibrary = driver::isLibraryFile(options.build.model.path);
    bool isDone =
        isLibrary ? prepareLibrary() && runLibrary(*library) : prepare() && execute() && trace();
    progress.end();
    if (!isDone) {
      return fail(problems, console);
    }
    warnOfNames();
    print(console.err, problems);
    return report();
  }

private:
  bool prepare() {
    checkFlags();
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
    if (!problems.hasErrors() && llvm::any_of(options.inputs, [](const std::string &input) {
          return io::hasImageName(llvm::StringRef(input).rsplit('=').second.str()) ||
                 io::hasImageName(input);
        })) {
      addWarning(problems, io::preprocessHint(request->model, options.build.image));
    }
    if (!options.trace.empty() && !problems.hasErrors()) {
      addError(problems, timing::checkTraced(request->compile.target));
    }
    facts.model = request->model.name();
    return !problems.hasErrors();
  }

  /// Checks the flags that need no model.
  void checkFlags() {
    if (options.data.samples > 0 || !options.metric.empty()) {
      addError(problems, llvm::Twine(options.metric.empty() ? "--samples" : "--metric") +
                             " needs a data set; add --data DATA");
    }
    std::string file = options.classNames;
    if (file.empty() && !options.data.labels.empty()) {
      file = options.data.labels;
      console.err << deprecation("--labels without --data", "--class-names");
    }
    if (!file.empty()) {
      if (llvm::Expected<std::vector<std::string>> lines = io::readLines(file)) {
        classNames = std::move(*lines);
      } else {
        addError(problems, withPrefix(options.classNames.empty() ? "--labels: " : "--class-names: ",
                                      lines.takeError()));
      }
    }
    if (!options.trace.empty()) {
      addError(problems, report::checkTraceFile(options.trace));
    }
  }

  /// Warns if there is another number of names than classes: the names then are of other classes.
  void warnOfNames() {
    if (classNames.empty()) {
      return;
    }
    for (const NamedOutput &output : outputs) {
      int64_t classes = classCount(output.value);
      auto names = static_cast<int64_t>(classNames.size());
      if (classes > 0 && classes != names) {
        addWarning(problems, "--class-names has " + std::to_string(names) + " lines, output '" +
                                 output.name + "' has " + std::to_string(classes) +
                                 " classes, so names may be wrong or missing; use the file of the "
                                 "model's training (a background class takes one line)");
      }
    }
  }

  bool execute() {
    request->compile.progress = showSteps(progress);
    std::optional<CachedModel> cached;
    if (options.trace.empty()) {
      cached = compileByCache(*request, options.cache, problems);
    }
    if (cached) {
      facts.built = std::move(cached->built);
      facts.target = targetName(cached->target);
      return runLibrary(*cached->program);
    }
    return runInMemory();
  }

  bool runInMemory() {
    driver::CompileHooks hooks;
    hooks.observer = request->injected.get();
    Result<Artifact> artifact = driver::compileModel(request->model, request->compile, hooks);
    problems.append(artifact.problems());
    if (!artifact) {
      return false;
    }
    progress.begin("run");
    Result<std::vector<Datum>> values = artifact->memory->program().run(data);
    times.first = progress.seconds();
    problems.append(values.problems());
    if (!values) {
      return false;
    }
    for (auto [i, value] : llvm::enumerate(*values)) {
      outputs.push_back({artifact->memory->outputNames()[i], std::move(value)});
    }
    facts.built = report::builtToJson(artifact->report);
    facts.target = targetName(artifact->report.target);
    facts.threads = artifact->report.threads;
    llvm::raw_string_ostream verdict(facts.verdict);
    printVerdict(verdict, artifact->report.placement);
    const convoy_model *table = artifact->memory->program().table();
    if (table && !artifact->memory->program().isConverted() && table->programs == 0) {
      llvm::Expected<driver::TableRun> again = driver::TableRun::prepare(*table, data);
      if (!again) {
        llvm::consumeError(again.takeError());
      } else {
        repeat(*again);
      }
    }
    return true;
  }

  /// Reads the inputs of a compiled library by its table.
  bool prepareLibrary() {
    checkFlags();
    for (const std::string &flag : options.build.given) {
      if (!llvm::is_contained(kLibraryFlags, llvm::StringRef(flag))) {
        addError(problems, flag + " has no effect on a compiled library; give it to `convoy "
                                  "compile`, or give `convoy run` the ONNX model");
      }
    }
    llvm::Expected<std::unique_ptr<driver::LibraryProgram>> loaded =
        driver::LibraryProgram::load(options.build.model.path);
    if (!loaded) {
      addError(problems, loaded.takeError());
      return false;
    }
    library = std::move(*loaded);
    facts.model = library->table().name;
    facts.target = library->table().target;
    std::vector<onnx::ValueInfoProto> values = io::valuesOf(library->inputs());
    std::vector<io::InputInfo> inputs;
    for (const onnx::ValueInfoProto &value : values) {
      inputs.push_back(io::inputInfo(value));
    }
    data = io::readInputs({options.inputs, options.build.image}, inputs,
                          /*isRandomByDefault=*/false, problems);
    return !problems.hasErrors();
  }

  bool runLibrary(const driver::LibraryProgram &program) {
    progress.begin("run");
    facts.threads = program.table().threads;
    llvm::Expected<driver::TableRun> run = driver::TableRun::prepare(program.table(), data);
    if (!run) {
      addError(problems, run.takeError());
      return false;
    }
    double start = monotonicSeconds();
    llvm::Error error = run->run();
    times.first = monotonicSeconds() - start;
    llvm::Expected<std::vector<Tensor>> tensors =
        error ? llvm::Expected<std::vector<Tensor>>(std::move(error)) : run->outputs();
    if (!tensors) {
      addError(problems, tensors.takeError());
      return false;
    }
    std::vector<std::string> names = program.outputNames();
    for (auto [name, tensor] : llvm::zip_equal(names, *tensors)) {
      outputs.push_back({name, std::move(tensor)});
    }
    repeat(*run);
    return true;
  }

  /// Measures more runs, unless the first one was slow.
  void repeat(driver::TableRun &run) {
    double start = monotonicSeconds(), now = start;
    while (times.first < kSlowSeconds && now - start < kRepeatSeconds &&
           times.all.size() < kMostRuns) {
      if (llvm::Error error = run.run()) {
        llvm::consumeError(std::move(error)); // the first run succeeded with the same data
        return;
      }
      double end = monotonicSeconds();
      times.all.push_back(end - now);
      now = end;
    }
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
    int64_t top = options.top > 0 ? options.top : classNames.empty() ? 0 : 5;
    auto printText = [&](llvm::raw_ostream &os) {
      printOutputs(os, outputs, top, classNames);
      for (const std::string &file : files) {
        console.summary() << "wrote " << file << "\n";
      }
      console.summary() << traceText << "ran " << facts.model << " on " << facts.target << " in "
                        << times.text() << ", " << facts.threads
                        << (facts.threads == 1 ? " thread\n" : " threads\n") << facts.verdict;
    };
    auto printFacts = [&](llvm::raw_ostream &os) { printJson(os, toJson(top, files)); };
    return printResult(options.json, printFacts, printText, console);
  }

  /// Returns the name of the target without the parameters of a device. For a description,
  /// this is the name in the file.
  std::string targetName(llvm::StringRef compiled) const {
    llvm::StringRef name = request->compile.target.name;
    return (name.ends_with(".json") ? compiled : name.split(':').first).str();
  }

  llvm::json::Object toJson(int64_t top, const std::vector<std::string> &files) {
    llvm::json::Object object{{"model", llvm::json::fixUTF8(facts.model)},
                              {"target", llvm::json::fixUTF8(facts.target)},
                              {"seconds", times.first},
                              {"outputs", outputsToJson(outputs, top, classNames)},
                              {"files", llvm::json::Array(files)},
                              {"warnings", warningsToJson(problems)}};
    if (!facts.built.empty()) {
      object["built"] = std::move(facts.built);
    }
    if (!times.all.empty()) {
      object["median_seconds"] = timing::median(times.all);
      object["runs"] = static_cast<int64_t>(times.all.size());
    }
    return object;
  }

  // The flags that concern a library.
  static constexpr llvm::StringLiteral kLibraryFlags[] = {
      "--input", "--top",   "--class-names", "--labels",      "--output", "--output-format",
      "--json",  "--quiet", "--preprocess",  "--resize",      "--color",  "--mean",
      "--std",   "--scale", "--crop",        "--image-layout"};

  const RunFlags &options;
  Console &console;
  Progress progress;
  Problems problems;
  std::optional<Request> request;
  std::unique_ptr<driver::LibraryProgram> library; // instead of a request
  RunFacts facts;
  io::NamedData data;
  std::vector<std::string> classNames;
  std::vector<NamedOutput> outputs;
  RunTimes times;
  std::string traceText; // empty: no trace
};

} // namespace

ExitCode run(const RunFlags &options, Console &console) {
  if (!options.data.data.empty() && driver::isLibraryFile(options.build.model.path)) {
    return fail(llvm::createStringError("--data expects an ONNX model, got the library '" +
                                        options.build.model.path + "'; use --input"),
                console);
  }
  return options.data.data.empty() ? Runner(options, console).run() : runData(options, console);
}

} // namespace convoy::tool
