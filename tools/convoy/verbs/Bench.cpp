// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy bench`: models in, times out. timing/Bench.h measures in the way that the back end of the
// target selects; this file reads models and data, and prints the result.

#include "timing/Bench.h"
#include "Driver/AddProblem.h"
#include "Driver/InspectLibrary.h"
#include "io/Samples.h"
#include "timing/BenchCompare.h"
#include "timing/BenchMatrix.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/MicroReport.h"
#include "tools/convoy/output/Progress.h"

namespace convoy::tool {
namespace {

/// The flags of one model on one number of threads.
BuildFlags buildFlagsOf(const BenchFlags &options, const std::string &path, int64_t threads) {
  BuildFlags flags = options.build;
  flags.model.path = path;
  flags.threads = threads;
  if (threads <= 1) {
    flags.kernelTimes.clear(); // they are for the other numbers of threads
  }
  return flags;
}

timing::BenchOptions optionsOf(const BenchFlags &flags) {
  timing::BenchOptions options;
  options.models = flags.models.size();
  options.threads = flags.threads;
  options.samples = flags.samples;
  options.hasLayers = flags.hasLayers;
  options.isHot = flags.isHot;
  options.hasPeer = flags.peer != Peer::None;
  options.hasKernelTimes = !flags.build.kernelTimes.empty();
  options.hasInputs = !flags.inputs.empty();
  options.hasData = !flags.data.data.empty();
  options.peerLibrary = flags.peerLibrary;
  options.streams = flags.streams;
  options.trace = flags.trace;
  options.folder = flags.output;
  options.report = flags.report;
  return options;
}

// The flags that apply to a compiled library. All other flags concern the compile or read the
// model.
constexpr llvm::StringRef kLibraryFlags[] = {
    "--threads",        "--baseline", "--repetitions", "--streams", "--baseline-library",
    "--baseline-model", "--output",   "--json",        "--quiet"};

/// Adds an error for each flag that does not apply to the libraries of the command, and if the peer
/// has no model.
void checkLibraries(const BenchFlags &flags, Problems &problems) {
  auto library = llvm::find_if(flags.models, driver::isLibrary);
  bool isOne = flags.models.size() == 1 && library != flags.models.end();
  if (!flags.peerModel.empty() && (!isOne || flags.peer == Peer::None)) {
    addError(problems, "--baseline-model needs --baseline and one compiled library");
  }
  if (library == flags.models.end()) {
    return;
  }
  for (const std::string &flag : flags.build.given) {
    if (!llvm::is_contained(kLibraryFlags, flag)) {
      addError(problems,
               flag + " needs the ONNX model, got the compiled library '" + *library + "'");
    }
  }
  if (flags.peer != Peer::None && flags.peerModel.empty()) {
    addError(problems, "--baseline: the library '" + *library +
                           "' does not contain its ONNX model; add --baseline-model FILE");
  }
}

/// Reads the models of one command and lets the benchmark of the target measure them. The first
/// problem decides the exit code.
class BenchModels {
public:
  BenchModels(const BenchFlags &options, timing::Bench &bench, Console &console)
      : options(options), bench(bench), console(console) {}

  ExitCode run() {
    Problems problems = bench.check();
    checkLibraries(options, problems);
    if (!problems.hasErrors()) {
      addError(problems, bench.prepare());
    }
    if (problems.hasErrors()) {
      return fail(problems, console);
    }
    for (const std::string &model : options.models) {
      for (int64_t threads : options.threads) {
        measure(model, threads);
      }
    }
    take(bench.writeFiles());
    ExitCode printed = printResult(
        options.json, [&](llvm::raw_ostream &os) { os << bench.json(); },
        [&](llvm::raw_ostream &os) { bench.print(os, console.summary()); }, console);
    code = code == kDone ? printed : code;
    note(bench.judge());
    return code;
  }

private:
  bool take(llvm::Error error) {
    Problems problems;
    addError(problems, std::move(error));
    note(problems);
    return !problems.hasErrors();
  }

  void note(const Problems &problems) {
    tool::print(console.err, problems);
    code = code == kDone ? exitCodeOf(problems) : code;
  }

  void measure(const std::string &path, int64_t threads) {
    Problems problems;
    Progress progress(console);
    std::optional<timing::BenchCase> next =
        driver::isLibrary(path) ? libraryCase(path, threads) : modelCase(path, threads, problems);
    if (!next || problems.hasErrors()) {
      return note(problems);
    }
    next->compile.progress = showSteps(progress);
    problems.append(bench.build(std::move(*next)));
    progress.end();
    note(problems);
    if (problems.hasErrors()) {
      return;
    }
    progress.expect(1);
    progress.begin("measure " + path + ", threads " + std::to_string(threads));
    Problems measured = bench.measure();
    progress.end();
    note(measured);
  }

  timing::BenchCase libraryCase(const std::string &path, int64_t threads) const {
    timing::BenchCase next{options.peerModel, Model(nullptr), {}, {}, path};
    next.compile.schedule.threads = threads;
    return next;
  }

  std::optional<timing::BenchCase> modelCase(const std::string &path, int64_t threads,
                                             Problems &problems) const {
    std::optional<Request> request =
        readRequest(buildFlagsOf(options, path, threads), bench.emit(), problems);
    NamedTensors inputs;
    if (request && !problems.hasErrors()) {
      inputs = readInputs(*request, problems);
    }
    if (!request) {
      return std::nullopt;
    }
    return timing::BenchCase{path, request->model, request->compile, inputs};
  }

  /// Reads --input and pins the shapes of the model's inputs to the shapes of the data.
  NamedTensors readInputs(Request &request, Problems &problems) const {
    if (!options.data.data.empty()) {
      return readFirstSample(request, problems);
    }
    if (options.inputs.empty()) {
      return {};
    }
    InputPins &pins = request.compile.inputs;
    io::NamedData data =
        io::readInputs({options.inputs, options.build.image}, io::dataInputs(request.model, pins),
                       /*isRandomByDefault=*/true, problems);
    io::pinShapes(pins, data);
    return io::toNamedTensors(data, problems);
  }

  /// Reads the first sample of --data and pins the shapes of the model's inputs to its shapes.
  NamedTensors readFirstSample(Request &request, Problems &problems) const {
    std::shared_ptr<const io::Dataset> data =
        openData(options.data, options.build, request, problems);
    if (!data) {
      return {};
    }
    Result<NamedTensors> sample = data->read(0);
    problems.append(sample.problems());
    if (!sample) {
      return {};
    }
    for (const auto &[name, tensor] : *sample) {
      request.compile.inputs.shapes.try_emplace(name, tensor.shape);
    }
    return *sample;
  }

  const BenchFlags &options;
  timing::Bench &bench;
  Console &console;
  ExitCode code = kDone;
};

ExitCode benchCompare(const BenchFlags &options, Console &console) {
  if (std::optional<ExitCode> code = compareMicroBuilds(options, console)) {
    return *code;
  }
  llvm::Expected<timing::BenchComparison> comparison =
      timing::compareBenches(options.compare.front(), options.compare.back());
  if (!comparison) {
    return fail(withPrefix("--compare: ", comparison.takeError()), console);
  }
  for (const std::string &warning : comparison->warnings) {
    console.err << "warning: " << warning << "\n";
  }
  ExitCode code = printResult(
      options.json, [&](llvm::raw_ostream &os) { os << timing::toJson(*comparison); },
      [&](llvm::raw_ostream &os) { timing::printComparison(os, *comparison); }, console);
  return code == kDone && comparison->count(timing::Verdict::Slower) > 0 ? kUserError : code;
}

ExitCode benchMatrix(const BenchFlags &options, Console &console) {
  // The JSON file is written after each cell, so that an interrupted sweep keeps its cells.
  llvm::Expected<std::vector<timing::MatrixCell>> cells = timing::benchMatrix(
      {options.matrix, options.json.isFile() ? options.json.to : "", options.table},
      console.isQuiet ? llvm::nulls() : console.err);
  if (!cells) {
    return fail(cells.takeError(), console);
  }
  console.out << (options.json.isStdout() ? timing::toJson(*cells) : timing::toMarkdown(*cells));
  size_t failed =
      llvm::count_if(*cells, [](const timing::MatrixCell &c) { return !c.problem.empty(); });
  if (failed > 0) {
    console.err << "error: " << failed << " of " << cells->size()
                << " cells failed; the table has the reasons\n";
  }
  return failed > 0 ? kUserError : kDone;
}

ExitCode benchModels(const BenchFlags &options, Console &console) {
  TargetRequest wanted;
  wanted.name = options.build.target;
  wanted.cpu = options.build.cpu;
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(wanted, /*isForMemory=*/false);
  if (!target) {
    return fail(withPrefix("--target: ", target.takeError()), console);
  }
  llvm::Expected<std::unique_ptr<timing::Bench>> bench =
      timing::benchFor(*target, optionsOf(options));
  if (!bench) {
    return fail(withPrefix("--target: ", bench.takeError()), console);
  }
  return BenchModels(options, **bench, console).run();
}

} // namespace

ExitCode bench(const BenchFlags &options, Console &console) {
  int given =
      int(!options.models.empty()) + int(!options.matrix.empty()) + int(!options.compare.empty());
  if (given != 1) {
    return fail(llvm::createStringError(
                    "`convoy bench` expects one of models, --matrix FILE and --compare A.json "
                    "B.json, got " +
                    llvm::Twine(given == 0 ? "none" : "several")),
                console);
  }
  if (!options.models.empty()) {
    return benchModels(options, console);
  }
  if (options.streams > 0 || !options.trace.empty() || !options.inputs.empty() ||
      !options.data.data.empty()) {
    console.err
        << "error: --input, --data, --streams and --trace need models; for a matrix, add them to "
           "the flags in its file\n";
    return kUserError;
  }
  return options.matrix.empty() ? benchCompare(options, console) : benchMatrix(options, console);
}

} // namespace convoy::tool
