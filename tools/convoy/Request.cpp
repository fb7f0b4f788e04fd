// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reader of flags for every verb that compiles.

#include "Request.h"
#include "Driver/AddProblem.h"
#include "Driver/ResolveTarget.h"
#include "io/KernelTimes.h"
#include "io/Samples.h"
#include "tuning/network/NetworkTasks.h"
#include <cstdlib>

namespace convoy::tool {
namespace {

Localise localiseOf(llvm::StringRef text) {
  return text == "on"       ? Localise::On
         : text == "off"    ? Localise::Off
         : text == "always" ? Localise::Always
                            : Localise::Default;
}

void setPlain(const BuildFlags &flags, CompileRequest &request) {
  request.target.name = flags.target;
  request.target.cpu = flags.cpu;
  if (const char *compiler = std::getenv("CC")) {
    request.output.cCompiler = compiler;
  }
  request.numerics.math = flags.math == "strict" ? Math::Strict : Math::Fast;
  request.numerics.isInteger = flags.integer == "on";
  request.schedule.threads = flags.threads;
  request.debugging.writesReproducer = true;
  request.schedule.localise = localiseOf(flags.localise);
}

void readFiles(const BuildFlags &flags, const Model &model, CompileRequest &request,
               Problems &problems) {
  if (!flags.kernelTimes.empty()) {
    if (auto times = io::readKernelTimes(flags.kernelTimes)) {
      request.schedule.kernelNs = std::move(*times);
    } else {
      addError(problems, times.takeError());
    }
  }
  if (!flags.records.empty()) {
    if (auto records = tuning::openRecords(flags.records, request)) {
      request.measurements = std::move(*records);
    } else {
      addError(problems, records.takeError());
    }
  }
  if (!flags.calibrate.empty()) {
    request.calibration =
        io::openSamples(flags.calibrate, model, request.inputs, flags.image, problems);
  }
}

/// A wrong name is told with all other problems, and not after them.
void checkTarget(const BuildFlags &flags, Problems &problems) {
  CompileRequest request;
  setPlain(flags, request);
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request.target, /*isForMemory=*/true);
  if (!target) {
    addError(problems, "--target: " + llvm::toString(target.takeError()));
  }
}

} // namespace

std::optional<Request> readRequest(const BuildFlags &flags, Emit emit, Problems &problems) {
  if (emit == Emit::Memory) {
    checkTarget(flags, problems);
  }
  llvm::Expected<std::shared_ptr<StageObserver>> planted = driver::loadPlantedPasses(flags.plants);
  if (!planted) {
    addError(problems, planted.takeError());
  }
  Result<Model> model = Model::read(flags.model.path);
  problems.append(model.problems());
  if (!model) {
    return std::nullopt;
  }
  Request request{*model, {}, planted ? *planted : nullptr};
  request.compile.output.emit = emit;
  setPlain(flags, request.compile);
  // What a planted bug does is to be seen in the result.
  if (request.planted && emit == Emit::Memory) {
    request.compile.debugging.verifiesStages = false;
  }
  request.compile.inputs = io::readModelFlags(flags.model, *model, problems);
  if (!problems.hasErrors()) {
    readFiles(flags, *model, request.compile, problems);
  }
  return request;
}

void refuseCpuFlags(const BuildFlags &flags, llvm::StringRef verb, llvm::StringRef reason,
                    Problems &problems) {
  for (const char *flag :
       {"--threads", "--math", "--records", "--cpu", "--kernel-times", "--localise"}) {
    if (flags.given.count(flag)) {
      addError(problems, llvm::Twine(flag) + " means nothing to `convoy " + verb +
                             "`: it changes the CPU's code, " + reason);
    }
  }
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
