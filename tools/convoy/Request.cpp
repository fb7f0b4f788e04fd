// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the shared flags. Every verb that compiles calls readRequest.

#include "tools/convoy/Request.h"
#include "Driver/AddProblem.h"
#include "Driver/ResolveTarget.h"
#include "convoy/workflow.h"
#include "io/KernelTimes.h"
#include "io/Samples.h"
#include "tools/convoy/service/Service.h"
#include "llvm/Support/Threading.h"
#include <cstdlib>

namespace convoy::tool {

#define GET_NAMES_OF_CPU_FLAGS
#define GET_REQUEST_ASSIGNMENTS
#include "tools/convoy/Options.inc"

namespace {

void setPlain(const BuildFlags &flags, CompileRequest &request) {
  setOptions(flags, request);
  if (const char *compiler = std::getenv("CC")) {
    request.output.cCompiler = compiler;
  }
  request.debugging.writesReproducer = true;
}

/// Opens the files of the flags with the workflow of the library, so that `convoy` and programs
/// that embed the compiler read them in the same way.
void readFiles(const BuildFlags &flags, Request &request, Problems &problems) {
  Workflow workflow = Workflow(request.model)
                          .with([&](CompileRequest &compile) { compile = request.compile; })
                          .records(recordsOf(flags));
  if (!flags.calibrate.empty()) {
    workflow = workflow.calibrate(io::samplesIn(flags.calibrate, flags.image));
  }
  if (!flags.kernelTimes.empty()) {
    if (auto times = io::readKernelTimes(flags.kernelTimes)) {
      workflow = workflow.with(
          [&](CompileRequest &compile) { compile.schedule.kernelNs = std::move(*times); });
    } else {
      addError(problems, withPrefix("--kernel-times: ", times.takeError()));
    }
  }
  Result<ModelRequest> complete = workflow.request(request.compile.output.emit);
  problems.append(complete.problems());
  if (complete) {
    request.compile = std::move(complete->request);
  }
}

/// Checks the name of the target early, so that its error appears with the other errors.
void checkTarget(const BuildFlags &flags, bool isForMemory, Problems &problems) {
  CompileRequest request;
  setPlain(flags, request);
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request.target, isForMemory);
  if (!target) {
    std::string text = llvm::toString(target.takeError());
    addError(problems, (llvm::StringRef(text).starts_with("--") ? "" : "--target: ") + text);
  }
}

} // namespace

std::optional<Request> readRequest(const BuildFlags &flags, Emit emit, Problems &problems) {
  // A verb that needs a device reports a wrong name with the list of devices.
  if (!flags.needsDevice) {
    checkTarget(flags, emit == Emit::Memory, problems);
  }
  llvm::Expected<std::shared_ptr<StageObserver>> injected = driver::loadFaults(flags.faults);
  if (!injected) {
    addError(problems, injected.takeError());
  }
  Result<Model> model = Model::read(flags.model.path);
  problems.append(model.problems());
  if (!model) {
    return std::nullopt;
  }
  Request request{*model, {}, injected ? *injected : nullptr};
  request.compile.output.emit = emit;
  setPlain(flags, request.compile);
  // An injected fault must reach the result, so no contract may stop it.
  if (request.injected && emit == Emit::Memory) {
    request.compile.debugging.verifiesStages = false;
  }
  request.compile.inputs = io::readModelFlags(flags.model, *model, problems);
  if (!problems.hasErrors()) {
    readFiles(flags, request, problems);
  }
  return request;
}

std::shared_ptr<const io::Dataset> openData(const io::DatasetFlags &data, const BuildFlags &build,
                                            const Request &request, Problems &problems) {
  io::DatasetFlags flags = data;
  flags.image = build.image;
  return io::openDataset(flags, request.model, request.compile.inputs, "--data", problems);
}

void refuseCpuFlags(const BuildFlags &flags, llvm::StringRef verb, llvm::StringRef reason,
                    Problems &problems) {
  for (const char *flag : kCpuFlags) {
    if (flags.given.count(flag)) {
      addError(problems, llvm::Twine(flag) + " has no effect on `convoy " + verb +
                             "`: it changes the CPU's code, " + reason);
    }
  }
}

void addWarning(Problems &problems, const std::string &text) {
  if (!text.empty()) {
    problems.add({ProblemKind::Warning, text, {}});
  }
}

int64_t jobsOrCores(int64_t jobs) {
  return jobs > 0 ? jobs : llvm::hardware_concurrency().compute_thread_count();
}

RecordsOpener recordsOf(const BuildFlags &flags) {
  if (isServiceRecords(flags.records)) {
    return [flags](const CompileRequest &request) { return openServiceRecords(flags, request); };
  }
  return flags.records.empty() ? nullptr : recordsIn(flags.records);
}

std::function<void(const CompileStep &)> showSteps(Progress &progress) {
  return [&progress](const CompileStep &step) {
    if (step.number == 1) {
      progress.expect(step.total);
    }
    progress.begin(step.name);
  };
}

} // namespace convoy::tool
