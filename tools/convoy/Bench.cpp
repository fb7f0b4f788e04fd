// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy bench`: models in, times out. Each model is compiled to a library and
// measured in a process that knows nothing of the compiler; with a peer, in turn
// with it. For a microcontroller, the emulator counts instructions.

#include "Driver/AddProblem.h"
#include "Driver/ResolveTarget.h"
#include "JsonOutput.h"
#include "MicroReport.h"
#include "Progress.h"
#include "Request.h"
#include "Support/OutputFile.h"
#include "Support/TemporaryFolder.h"
#include "Verbs.h"
#include "io/Samples.h"
#include "report/TraceFile.h"
#include "timing/BenchCompare.h"
#include "timing/BenchDevice.h"
#include "timing/BenchMatrix.h"
#include "timing/BenchMicro.h"
#include "timing/BenchModel.h"
#include "timing/TraceModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <sched.h>

namespace fs = llvm::sys::fs;

namespace convoy::tool {
namespace {

/// Cores that this process may use.
int64_t usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

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

/// What one command measures; the first problem decides the exit code.
class Bench {
public:
  Bench(const BenchFlags &options, Console &console) : options(options), console(console) {}

  ExitCode run(const driver::ResolvedTarget &target) {
    if (!options.report.empty() && !target.backend->facts.reportsMemory) {
      fail("--report expects a microcontroller as --target, got '" + target.name +
           "'; `convoy targets` lists the targets");
      return code;
    }
    if (target.device) {
      return runDevice(target);
    }
    if (target.backend->facts.reportsMemory) {
      return runMicro(target);
    }
    if (!checkFlags(target) || !prepare(target)) {
      return code;
    }
    for (const std::string &model : options.models) {
      for (int64_t threads : options.threads) {
        measure(model, threads);
      }
    }
    report();
    return code;
  }

private:
  bool fail(const llvm::Twine &text) {
    console.err << "error: " << text << "\n";
    code = code == kDone ? kUserError : code;
    return false;
  }

  bool fail(llvm::Error error) { return fail(llvm::toString(std::move(error))); }

  void note(const Problems &problems) {
    tool::print(console.err, problems);
    code = code == kDone ? exitCodeOf(problems) : code;
  }

  bool checkFlags(const driver::ResolvedTarget &target) {
    int64_t cores = usableCores();
    for (int64_t threads : options.threads) {
      if (threads > cores) {
        fail("--threads " + llvm::Twine(threads) +
             ": each thread is pinned to a core of its own, "
             "and this process may use " +
             llvm::Twine(cores));
      }
    }
    bool isParallel = llvm::any_of(options.threads, [](int64_t count) { return count > 1; });
    if (!options.build.kernelTimes.empty() && !isParallel) {
      fail("--kernel-times expects several threads, got one; add --threads=N");
    }
    if (options.hasLayers && options.peer != Peer::None) {
      fail("--layers measures kernels of the compiled model and cannot be combined with --against");
    }
    if (options.hasLayers && (options.streams > 0 || !options.trace.empty())) {
      fail("--layers measures each kernel and cannot be combined with --streams or --trace");
    }
    if (!options.inputs.empty() && options.models.size() > 1) {
      fail("--input is the data of one model, got " + llvm::Twine(options.models.size()) +
           " models");
    }
    if (!options.data.data.empty() && (options.models.size() > 1 || !options.inputs.empty())) {
      fail("--data is the data of one model and cannot be combined with --input, got " +
           llvm::Twine(options.models.size()) + " models");
    }
    if (!options.trace.empty()) {
      if (llvm::Error error = report::checkTraceFile(options.trace)) {
        fail(std::move(error));
      }
    }
    if (options.isHot && !options.hasLayers) {
      fail("--hot measures kernels and needs --layers");
    }
    std::string problem = targets::whyNotHere(target.machine);
    if (!problem.empty()) {
      fail("--target " + options.build.target + " cannot be measured here: " + problem);
    }
    findPeer();
    return code == kDone;
  }

  void findPeer() {
    if (options.peer == Peer::None && !options.peerLibrary.empty()) {
      fail("--peer-library needs --against onnxruntime");
    } else if (!options.peerLibrary.empty()) {
      setup.peerLibrary = options.peerLibrary;
      if (!fs::exists(setup.peerLibrary)) {
        fail("--peer-library: there is no file '" + options.peerLibrary + "'");
      }
    } else if (options.peer != Peer::None) {
      llvm::Expected<std::string> found = timing::findOnnxRuntime(timing::peersFolder());
      if (found) {
        setup.peerLibrary = std::move(*found);
      } else {
        fail(found.takeError());
      }
    }
  }

  bool prepare(const driver::ResolvedTarget &target) {
    if (options.output.empty()) {
      if (llvm::Error error = scratch.createInSystem()) {
        return fail(std::move(error));
      }
      setup.folder = scratch.path().str();
    } else if (llvm::Error error = createFolder(options.output)) {
      return fail("--output: " + llvm::toString(std::move(error)));
    } else {
      setup.folder = options.output;
    }
    llvm::Expected<std::string> program = timing::findMeasureProgram();
    if (!program) {
      return fail(program.takeError());
    }
    setup.measureProgram = timing::MeasureProgram(std::move(*program), setup.folder);
    llvm::Expected<timing::PeakLibrary> peak =
        timing::writePeakLibrary(target.machine, setup.folder);
    if (!peak) {
      return fail(peak.takeError());
    }
    setup.peak = std::move(*peak);
    return true;
  }

  void measure(const std::string &path, int64_t threads) {
    Problems problems;
    Progress progress(console);
    std::optional<Request> request =
        readRequest(buildFlagsOf(options, path, threads), Emit::Library, problems);
    NamedTensors inputs;
    if (request && !problems.hasErrors()) {
      inputs = readInputs(*request, problems);
    }
    if (!request || problems.hasErrors()) {
      return note(problems);
    }
    request->compile.progress = showSteps(progress);
    timing::BenchModel model({path, request->compile, options.samples, options.hasLayers,
                              options.isHot, options.streams, inputs},
                             setup);
    problems.append(model.build(request->model));
    progress.end();
    note(problems);
    if (problems.hasErrors()) {
      return;
    }
    progress.expect(1);
    progress.begin("measure " + path + ", threads " + std::to_string(threads));
    if (options.hasLayers) {
      llvm::Expected<timing::LayerReport> layers = model.measureLayers();
      progress.end();
      keep(path, std::move(layers), layerReports);
    } else {
      llvm::Expected<timing::BenchRow> row = model.measure();
      progress.end();
      bool isMeasured = bool(row);
      keep(path, std::move(row), rows);
      if (isMeasured) {
        trace(*request, inputs, model.library());
      }
    }
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

  /// Traces a model with --trace, in turn with the library that was measured.
  void trace(const Request &request, const NamedTensors &inputs, const Artefact &library) {
    if (options.trace.empty()) {
      return;
    }
    timing::TraceRequest wanted{request.compile, options.samples, inputs, &library};
    Result<timing::ModelTrace> traced =
        timing::traceModel(request.model, wanted, setup.measureProgram, setup.folder);
    note(traced.problems());
    if (traced) {
      traces.push_back(std::move(*traced));
    }
  }

  void writeTraces() {
    std::vector<report::TraceProcess> processes;
    for (const timing::ModelTrace &trace : traces) {
      processes.push_back(trace.process);
    }
    if (llvm::Error error = report::writeTrace(options.trace, processes)) {
      fail(std::move(error));
    }
  }

  template <typename Row>
  void keep(const std::string &path, llvm::Expected<Row> row, std::vector<Row> &list) {
    if (row) {
      list.push_back(std::move(*row));
    } else {
      fail(path + ": " + llvm::toString(row.takeError()));
    }
  }

  void report() {
    auto printText = [&](llvm::raw_ostream &os) {
      for (const timing::LayerReport &layers : layerReports) {
        timing::printLayers(os, layers);
      }
      if (!rows.empty()) {
        timing::printTable(os, rows);
        timing::printDistributions(os, rows);
      }
      for (const timing::ModelTrace &trace : traces) {
        console.summary() << timing::traceSummary(options.trace, trace);
      }
    };
    if (!traces.empty()) {
      writeTraces();
    }
    print(options.hasLayers ? timing::toJson(layerReports) : timing::toJson(rows), printText);
    if (!rows.empty()) {
      timing::printWarnings(console.err, rows);
    }
    for (const timing::BenchRow &row : rows) {
      if (!row.isRight()) {
        fail(timing::wrongResult(row));
      }
    }
  }

  void print(const std::string &json, Print printText) {
    ExitCode printed =
        printResult(options.json, [&](llvm::raw_ostream &os) { os << json; }, printText, console);
    code = code == kDone ? printed : code;
  }

  ExitCode runDevice(const driver::ResolvedTarget &target) {
    if (options.peer != Peer::None || options.hasLayers || options.isHot ||
        !options.build.kernelTimes.empty() || !options.output.empty() || !options.inputs.empty() ||
        !options.data.data.empty() || options.streams > 0 || !options.trace.empty() ||
        options.threads.size() != 1) {
      fail(
          "--target " + target.name +
          " is a device: `convoy bench` accepts one number of --threads and none of "
          "--against, --layers, --hot, --kernel-times, --input, --data, --streams, --trace and -o");
      return code;
    }
    std::vector<timing::DeviceRow> deviceRows;
    for (const std::string &path : options.models) {
      Problems problems;
      std::optional<Request> request =
          readRequest(buildFlagsOf(options, path, options.threads.front()), Emit::Memory, problems);
      if (request && !problems.hasErrors()) {
        Result<timing::DeviceRow> row =
            timing::benchDevice(request->model, request->compile, options.samples);
        problems.append(row.problems());
        if (row) {
          deviceRows.push_back(std::move(*row));
        }
      }
      note(problems);
    }
    auto printText = [&](llvm::raw_ostream &os) {
      for (const timing::DeviceRow &row : deviceRows) {
        timing::printDeviceRow(os, row);
      }
    };
    print(timing::toJson(deviceRows), printText);
    return code;
  }

  bool checkMicroFlags(const driver::ResolvedTarget &target) {
    if (options.peer != Peer::None || options.isHot || !options.build.kernelTimes.empty() ||
        options.streams > 0 || !options.trace.empty() ||
        options.threads != std::vector<int64_t>{1}) {
      return fail("--target " + target.name +
                  " is a microcontroller: `convoy bench` counts instructions of one thread and "
                  "accepts none of --against, --hot, --kernel-times, --streams and --trace");
    }
    if ((!options.inputs.empty() || !options.report.empty()) && options.models.size() > 1) {
      return fail("--input and --report need one model, got " + llvm::Twine(options.models.size()) +
                  " models");
    }
    return true;
  }

  ExitCode runMicro(const driver::ResolvedTarget &target) {
    if (!checkMicroFlags(target)) {
      return code;
    }
    std::vector<report::MicroBuild> builds;
    for (const std::string &path : options.models) {
      Problems problems;
      Progress progress(console);
      std::optional<Request> request =
          readRequest(buildFlagsOf(options, path, 1), Emit::Memory, problems);
      NamedTensors inputs;
      if (request && !problems.hasErrors()) {
        inputs = readInputs(*request, problems);
      }
      if (request && !problems.hasErrors()) {
        request->compile.progress = showSteps(progress);
        Result<report::MicroBuild> build =
            timing::benchMicro(request->model, request->compile, inputs, options.output);
        problems.append(build.problems());
        if (build) {
          builds.push_back(std::move(*build));
        }
      }
      progress.end();
      note(problems);
    }
    if (!options.report.empty() && builds.size() == 1) {
      if (llvm::Error error = writeMicroPage(options.report, builds.front())) {
        fail(std::move(error));
      }
    }
    print(report::toJson(builds),
          [&](llvm::raw_ostream &os) { report::printBuilds(os, builds, options.hasLayers); });
    return code;
  }

  const BenchFlags &options;
  Console &console;
  ExitCode code = kDone;
  timing::BenchSetup setup;
  TemporaryFolder scratch; // for the libraries unless --output names a folder
  std::vector<timing::BenchRow> rows;
  std::vector<timing::LayerReport> layerReports;
  std::vector<timing::ModelTrace> traces;
};

ExitCode benchCompare(const BenchFlags &options, Console &console) {
  if (std::optional<ExitCode> code = compareMicroBuilds(options, console)) {
    return *code;
  }
  llvm::Expected<timing::BenchComparison> comparison =
      timing::compareBenches(options.compare.front(), options.compare.back());
  if (!comparison) {
    console.err << "error: --compare: " << llvm::toString(comparison.takeError()) << "\n";
    return kUserError;
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
    console.err << "error: " << llvm::toString(cells.takeError()) << "\n";
    return kUserError;
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
    console.err << "error: --target: " << llvm::toString(target.takeError()) << "\n";
    return kUserError;
  }
  return Bench(options, console).run(*target);
}

} // namespace

ExitCode bench(const BenchFlags &options, Console &console) {
  int given =
      int(!options.models.empty()) + int(!options.matrix.empty()) + int(!options.compare.empty());
  if (given != 1) {
    console.err << "error: `convoy bench` expects one of models, --matrix FILE and --compare "
                   "A.json B.json, got "
                << (given == 0 ? "none" : "several") << "\n";
    return kUserError;
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
