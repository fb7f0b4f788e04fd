// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The behavior of most kinds of target. A kind that differs overrides the function.

#include "Driver/Backend.h"
#include "Driver/BackendJob.h"
#include "Driver/Backends/Device/PlacementText.h"
#include "Driver/RequestOptions.h"
#include "Driver/WriteArtifact.h"
#include "Pipeline/TargetOptions.h"

namespace convoy::driver {

llvm::Error Backend::check(const CompileRequest &request, const ResolvedTarget &) const {
  std::string flag = request.output.emit == Emit::Program ? "--emit=program"
                     : request.target.layersOf.empty()    ? deviceFlag(request.placement)
                                                          : "";
  return flag.empty() ? llvm::Error::success()
                      : llvm::createStringError(flag + " expects a device as --target, got '" +
                                                request.target.name +
                                                "'; `convoy targets` lists the devices");
}

llvm::Error Backend::checkRunnable(const ResolvedTarget &) const { return llvm::Error::success(); }

bool Backend::isRunnable(const ResolvedTarget &target) const {
  llvm::Error error = checkRunnable(target);
  bool isSuccess = !error;
  llvm::consumeError(std::move(error));
  return isSuccess;
}

std::string Backend::whyNotNative(const ResolvedTarget &) const { return "it is no CPU"; }

llvm::Error Backend::setOptions(const CompileRequest &request, const ResolvedTarget &target,
                                StageOptions &options) const {
  if (request.output.emit == Emit::Source) {
    setSourceExit(options, !hasPlainLoops(request, target));
  }
  if (request.output.io != IoPlace::Caller && options.exit != Exit::Source) {
    llvm::StringRef flag = request.output.io == IoPlace::Rows ? "--io=rows" : "--io=workspace";
    return llvm::createStringError(flag + " expects C source, got target '" + target.name +
                                   "' without --emit=c; add --emit=c, or choose a microcontroller "
                                   "as --target");
  }
  if (llvm::Error error = setIoPlace(request, options)) {
    return error;
  }
  return refuseLimits(request, target);
}

llvm::Error Backend::refuseLimits(const CompileRequest &request, const ResolvedTarget &target) {
  const MemoryLimits &limits = request.output.limits;
  return limits.ramBytes <= 0 && limits.flashBytes <= 0
             ? llvm::Error::success()
             : llvm::createStringError(
                   "--max-ram and --max-flash expect a microcontroller as --target, got '" +
                   target.name + "'; `convoy targets` lists the targets");
}

bool Backend::hasPlainLoops(const CompileRequest &request, const ResolvedTarget &target) const {
  return request.output.loops == SourceLoops::Target
             ? target.machine.sourceLoops == targets::LoopForm::Plain
             : request.output.loops == SourceLoops::Plain;
}

plan::TargetTypes Backend::types(const ResolvedTarget &target) const {
  plan::TargetTypes types;
  types.target = target.requested;
  types.shiftsOnly = target.arithmetic().shiftsOnly;
  types.arithmeticOf = target.arithmeticOf;
  return types;
}

bool Backend::runStages(BackendJob &job, llvm::function_ref<bool(llvm::StringRef)> run) const {
  return run(job.request.output.emit == Emit::Program ? kProgramStage : llvm::StringLiteral(""));
}

llvm::Error Backend::write(BackendJob &job) const { return writeArtifact(job); }

llvm::Error Backend::measure(const ResolvedTarget &target, MeasureMethods &) const {
  return llvm::createStringError("target '" + target.name +
                                 "' cannot be measured: it only runs models in this process; use "
                                 "a CPU, a microcontroller or a device");
}

} // namespace convoy::driver
