// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy compile`: converts flags to a request and prints the summary of the artifact.

#include "Driver/AddProblem.h"
#include "Driver/Backends/Device/PlacementText.h"
#include "Driver/CompileModel.h"
#include "Driver/ResolveTarget.h"
#include "Support/TextTable.h"
#include "io/Samples.h"
#include "report/DeviceLayers.h"
#include "report/Placement.h"
#include "timing/BenchMicro.h"
#include "timing/CompileTrace.h"
#include "tools/convoy/LockFile.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/PrintSummary.h"
#include "tools/convoy/output/Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace convoy::tool {
namespace {

/// Returns why no file can be created in `folder`, which may not exist yet; success if it can.
std::error_code whyNotWritable(llvm::StringRef folder) {
  namespace fs = llvm::sys::fs;
  llvm::SmallString<256> path(folder);
  if (std::error_code error = fs::make_absolute(path)) {
    return error;
  }
  while (!fs::exists(path) && llvm::sys::path::has_parent_path(path)) {
    llvm::sys::path::remove_filename(path);
  }
  if (!fs::is_directory(path)) {
    return std::make_error_code(std::errc::not_a_directory);
  }
  return fs::access(path, fs::AccessMode::Write);
}

/// Adds an error for each combination of flags that contradict each other.
void checkFlags(const CompileFlags &options, Problems &problems) {
  bool emitsC = options.emit == Emit::Source;
  if (emitsC && (options.weights == WeightsPlace::File || options.sanitizesThreads)) {
    addUnsupported(problems,
                   "not supported: --emit=c with --weights=file or --sanitize; weights above "
                   "1 MiB are always beside C, and its compiler can sanitize");
  }
  if (!emitsC && (options.withTest || options.loops != SourceLoops::Target)) {
    addError(problems, "--with-test and --loops need --emit=c");
  }
  // Found before a compilation that may take minutes.
  if (std::error_code error = whyNotWritable(options.output); error && options.stopAfter.empty()) {
    addError(problems, "--output: cannot write to '" + options.output + "': " + error.message());
  }
  if (!options.trace.empty()) {
    addError(problems, report::checkTraceFile(options.trace));
  }
  if (!options.withTest && !options.inputs.empty()) {
    addError(problems, "--input is the data of a test bench; add --emit=c --with-test");
  }
}

void setOutput(const CompileFlags &options, CompileRequest &request) {
  setOptions(options, request);
  if (options.verifyStages) {
    request.debugging.verifiesStages = true;
  }
}

void readTestInputs(const CompileFlags &options, Request &request, Problems &problems) {
  if (!options.withTest) {
    return;
  }
  const InputPins &pins = request.compile.inputs;
  io::NamedData data =
      io::readInputs({options.inputs, options.build.image}, io::dataInputs(request.model, pins),
                     /*isRandomByDefault=*/true, problems);
  request.compile.output.testInputs = io::toNamedTensors(data, problems);
}

/// The programs of a device in the order in which they run.
using Programs = std::vector<driver::DeviceProgram>;

llvm::json::Array namesToJson(llvm::ArrayRef<std::string> names) {
  llvm::json::Array array;
  for (const std::string &name : names) {
    array.push_back(llvm::json::fixUTF8(name));
  }
  return array;
}

/// Prints which program reads the result of which other program or of the CPU.
void printOrder(llvm::raw_ostream &os, const Programs &programs) {
  os << "Run the " << programs.size() << " programs in this order:\n";
  TextTable table({{"program"}, {"reads"}, {"writes to"}});
  for (const driver::DeviceProgram &program : programs) {
    table.add({program.name, llvm::join(program.reads, ", "), llvm::join(program.writes, ", ")});
  }
  table.print(os);
}

void printPrograms(llvm::raw_ostream &os, const Artifact &artifact, const Programs &programs) {
  for (const std::string &file : artifact.files.programs) {
    os << file << "\n";
  }
  if (programs.size() > 1) {
    printOrder(os, programs);
  }
  report::printLayers(os, artifact.report.deviceLayers, driver::clockOf(artifact.report.placement));
  printVerdict(os, artifact.report.placement);
}

llvm::json::Array programsToJson(const Programs &programs) {
  llvm::json::Array array;
  for (const driver::DeviceProgram &program : programs) {
    array.push_back(llvm::json::Object{{"name", program.name},
                                       {"files", namesToJson(program.files)},
                                       {"reads", namesToJson(program.reads)},
                                       {"writes", namesToJson(program.writes)}});
  }
  return array;
}

void printProgramsJson(llvm::raw_ostream &os, const Artifact &artifact, const Programs &programs,
                       const Problems &problems) {
  printJson(os,
            llvm::json::Object{{"files", llvm::json::Array(artifact.files.programs)},
                               {"programs", programsToJson(programs)},
                               {"layers", report::layersToJson(artifact.report.deviceLayers)},
                               {"placement", report::placementToJson(artifact.report.placement)},
                               {"warnings", warningsToJson(problems)}});
}

ExitCode printArtifact(const CompileFlags &options, const Artifact &artifact,
                       const Programs &programs, const Problems &problems,
                       const report::MicroBuild *micro, Console &console) {
  if (!options.stopAfter.empty()) {
    console.out << artifact.ir;
    return kDone;
  }
  bool isProgram = artifact.kind == Emit::Program;
  auto printFacts = [&](llvm::raw_ostream &os) {
    isProgram ? printProgramsJson(os, artifact, programs, problems)
              : printSummaryJson(os, artifact, problems, micro);
  };
  auto printText = [&](llvm::raw_ostream &) {
    isProgram ? printPrograms(console.summary(), artifact, programs)
              : printSummary(console.summary(), artifact, micro);
  };
  return printResult(options.json, printFacts, printText, console);
}

} // namespace

/// Returns the facts for --lock and --locked, which checks them; nothing without these flags.
static std::optional<Lock> lockFor(const CompileFlags &options, const Model &model,
                                   Problems &problems) {
  if (options.lock.empty() && options.locked.empty()) {
    return std::nullopt;
  }
  llvm::Expected<Lock> lock = lockOf(options, model);
  if (llvm::Error error = lock ? checkLocked(options, *lock) : lock.takeError()) {
    addError(problems, std::move(error));
    return std::nullopt;
  }
  return std::move(*lock);
}

/// Returns the target that the flags name. readRequest reports an unknown target.
static driver::ResolvedTarget targetOf(const CompileFlags &options) {
  TargetRequest wanted;
  wanted.name = options.build.target;
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(wanted, /*isForMemory=*/false);
  if (!target) {
    llvm::consumeError(target.takeError());
    return {};
  }
  return std::move(*target);
}

ExitCode compile(const CompileFlags &given, Console &console) {
  driver::ResolvedTarget target = targetOf(given);
  bool reportsMemory = target.backend->facts.reportsMemory;
  CompileFlags options = given;
  if (!given.build.given.count("--emit")) {
    options.emit = target.backend->facts.emit;
  }
  Problems problems;
  checkFlags(options, problems);
  std::optional<Request> request;
  timing::CompileTrace trace;
  Progress progress(console);
  if (!problems.hasErrors()) {
    progress.begin("read");
    trace.beginStep("read");
    request = readRequest(options.build, options.emit, problems);
  }
  if (request) {
    setOutput(options, request->compile);
    if (reportsMemory) {
      request->compile.schedule.report.clear(); // the page shows the memory instead
    }
    readTestInputs(options, *request, problems);
  }
  std::optional<Lock> lock;
  if (!problems.hasErrors()) {
    lock = lockFor(options, request->model, problems);
  }
  if (problems.hasErrors()) {
    progress.end();
    return fail(problems, console);
  }
  request->compile.progress = showSteps(progress);
  driver::CompileHooks hooks;
  hooks.observer = request->injected.get();
  Programs programs;
  hooks.wrotePrograms = [&programs](Programs written) { programs = std::move(written); };
  if (!options.trace.empty()) {
    trace.setNext(hooks.observer);
    hooks.observer = &trace;
    request->compile.progress = trace.recordSteps(request->compile.progress);
  }
  Result<Artifact> artifact = driver::compileModel(request->model, request->compile, hooks);
  progress.end();
  problems.append(artifact.problems());
  if (artifact && !options.trace.empty()) {
    report::TraceProcess process = trace.finish("compile " + request->model.name());
    if (llvm::Error error = report::writeTrace(options.trace, process)) {
      addError(problems, std::move(error));
      return fail(problems, console);
    }
  }
  if (!artifact) {
    return fail(problems, console);
  }
  if (llvm::Error error = lock ? finishLock(options, *artifact, *lock) : llvm::Error::success()) {
    addError(problems, std::move(error));
    return fail(problems, console);
  }
  std::optional<report::MicroBuild> build;
  if (reportsMemory) {
    build = timing::describeBuild(artifact->report, target.machine);
    if (llvm::Error error = options.report.empty() ? llvm::Error::success()
                                                   : timing::writePage(options.report, *build)) {
      addError(problems, std::move(error));
      return fail(problems, console);
    }
  }
  print(console.err, problems);
  return printArtifact(options, *artifact, programs, problems, build ? &*build : nullptr, console);
}

} // namespace convoy::tool
