// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy compile`: converts flags to a request and prints the summary of the artefact.

#include "Driver/AddProblem.h"
#include "Driver/CompileModel.h"
#include "PrintSummary.h"
#include "Progress.h"
#include "Request.h"
#include "Verbs.h"
#include "io/Samples.h"
#include "report/DeviceLayers.h"
#include "report/Placement.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::tool {
namespace {

Emit emitOf(const CompileOptions &options) {
  return options.emit == "c"         ? Emit::Source
         : options.emit == "program" ? Emit::Program
                                     : Emit::Library;
}

/// Adds an error for each combination of flags that contradict each other.
void checkFlags(const CompileOptions &options, Problems &problems) {
  bool isSource = options.emit == "c";
  if (isSource && (options.weights == "file" || !options.sanitize.empty())) {
    addError(problems, "not supported: --emit=c with --weights=file or --sanitize; weights above "
                       "1 MiB are always beside C, and its compiler can sanitize");
  }
  if (!isSource && (options.withTest || options.loops != "auto")) {
    addError(problems, "--with-test and --loops are for --emit=c");
  }
  if (!options.withTest && !options.inputs.empty()) {
    addError(problems, "--input is the data of a test bench; add --emit=c --with-test");
  }
}

void setOutput(const CompileOptions &options, CompileRequest &request) {
  request.output.folder = options.output;
  request.output.name = options.name;
  request.output.weights = options.weights == "file" ? WeightsPlace::File : WeightsPlace::Linked;
  request.output.loops = options.loops == "vectors" ? SourceLoops::Vectors
                         : options.loops == "plain" ? SourceLoops::Plain
                                                    : SourceLoops::Target;
  request.schedule.report = options.scheduleReport;
  request.schedule.deadlineMs = options.deadlineMs;
  request.debugging.stopAfter = options.stopAfter;
  request.debugging.sanitizesThreads = options.sanitize == "thread";
  if (options.verifyStages) {
    request.debugging.verifiesStages = true;
  }
}

void readTestInputs(const CompileOptions &options, Request &request, Problems &problems) {
  if (!options.withTest) {
    return;
  }
  const InputPins &pins = request.compile.inputs;
  io::NamedData data =
      io::readInputs({options.inputs, options.build.image}, io::dataInputs(request.model, pins),
                     /*isRandomByDefault=*/true, problems);
  request.compile.output.testInputs = io::toNamedTensors(data, problems);
}

void printPrograms(const CompileOptions &options, const Artefact &artefact,
                   const Problems &problems, Console &console) {
  if (options.isJson) {
    llvm::json::Object object{{"files", llvm::json::Array(artefact.files.programs)},
                              {"layers", report::layersToJson(artefact.summary.deviceLayers)},
                              {"placement", report::placementToJson(artefact.summary.placement)},
                              {"warnings", warningsToJson(problems)}};
    console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
    return;
  }
  for (const std::string &file : artefact.files.programs) {
    console.out << file << "\n";
  }
  report::printLayers(console.out, artefact.summary.deviceLayers);
  printVerdict(console.out, artefact.summary.placement);
}

void printArtefact(const CompileOptions &options, const Artefact &artefact,
                   const Problems &problems, Console &console) {
  if (!options.stopAfter.empty()) {
    console.out << artefact.ir;
  } else if (artefact.kind == Emit::Program) {
    printPrograms(options, artefact, problems, console);
  } else if (options.isJson) {
    printSummaryJson(console.out, artefact, problems);
  } else {
    printSummary(console.out, artefact);
  }
}

} // namespace

ExitCode compile(const CompileOptions &options, Console &console) {
  Problems problems;
  checkFlags(options, problems);
  std::optional<Request> request;
  Progress progress(console);
  if (!problems.hasErrors()) {
    progress.begin("read");
    request = readRequest(options.build, emitOf(options), problems);
  }
  if (request) {
    setOutput(options, request->compile);
    readTestInputs(options, *request, problems);
  }
  if (problems.hasErrors()) {
    return fail(problems, console);
  }
  request->compile.progress = showSteps(progress);
  driver::CompileHooks hooks;
  hooks.observer = request->planted.get();
  Result<Artefact> artefact = driver::compileModel(request->model, request->compile, hooks);
  progress.end();
  problems.append(artefact.problems());
  if (!artefact) {
    return fail(problems, console);
  }
  print(console.err, problems);
  printArtefact(options, *artefact, problems, console);
  return kDone;
}

} // namespace convoy::tool
