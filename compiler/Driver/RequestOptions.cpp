// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts with the options of the target and applies the members of the request. The table of
// options (options/) generates the assignments without a condition.

#include "Driver/RequestOptions.h"
#include "Accelerators/Registry.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Driver/TensorConversion.h"
#include "Import/CustomOps.h"
#include "Pipeline/TargetOptions.h"
#include "Support/TypedError.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::driver {
namespace {

/// The default of DebuggingRequest::verifiesStages: builds with assertions check the
/// contracts of stages.
#ifdef NDEBUG
constexpr bool kVerifiesStages = false;
#else
constexpr bool kVerifiesStages = true;
#endif

/// Returns the request's way to localise. A deadline plan assigns a power state to each
/// unsplit run, so it has no bands.
bands::Localise localiseOf(const ScheduleRequest &schedule) {
  if (schedule.deadlineMs != 0) {
    return bands::Localise::Off;
  }
  switch (schedule.localise) {
  case Localise::Default:
  case Localise::Off:
    return bands::Localise::Off;
  case Localise::On:
    return bands::Localise::On;
  case Localise::Always:
    return bands::Localise::Always;
  }
  llvm_unreachable("not a way to localise");
}

/// Returns an error if the request has options of a schedule for several threads and asks
/// for one thread.
llvm::Error checkThreads(const ScheduleRequest &schedule, int64_t threads) {
  if (threads > 1) {
    return llvm::Error::success();
  }
  if (!schedule.report.empty()) {
    return llvm::createStringError("--report draws the schedule of several threads, got one; add "
                                   "--threads=N");
  }
  if (!schedule.kernelNs.empty()) {
    return llvm::createStringError("--kernel-times expects several threads, got "
                                   "one; add --threads=N");
  }
  return llvm::Error::success();
}

llvm::Error setDeadline(const ScheduleRequest &request, const targets::Target &machine,
                        schedule::ScheduleOptions &options) {
  if (request.deadlineMs == 0) {
    return llvm::Error::success();
  }
  if (machine.powerStates.empty()) {
    return llvm::createStringError("--deadline chooses among power states and target '" +
                                   machine.name +
                                   "' has none; add powerStates to a description of it and give "
                                   "that as --target=FILE.json");
  }
  if (options.threads <= 1) {
    return llvm::createStringError("--deadline chooses how many cores to use, got one; add "
                                   "--threads=N");
  }
  options.deadlineNs = static_cast<int64_t>(request.deadlineMs * 1e6);
  for (const targets::PowerState &state : machine.powerStates) {
    options.powerStates.push_back({state.name, static_cast<double>(state.megahertz),
                                   static_cast<double>(state.activeMilliwatts),
                                   static_cast<double>(state.idleMilliwatts)});
  }
  return llvm::Error::success();
}

llvm::Error setSchedule(const ScheduleRequest &request, const targets::Target &machine,
                        schedule::ScheduleOptions &options) {
  if (llvm::Error error = checkThreads(request, options.threads)) {
    return error;
  }
  options.kernelTimes = request.kernelNs;
  return setDeadline(request, machine, options);
}

void setCodegen(const CompileRequest &request, llvm::StringRef modelName, StageOptions &options) {
  const std::string &name = request.output.name;
  options.codegen.model = name.empty() ? symbolPrefix(modelName) : name;
  options.outline.hasProbes = request.debugging.probes != Probes::None;
  options.codegen.hasProbes = options.outline.hasProbes;
  options.codegen.hasWaitProbes = request.debugging.probes == Probes::KernelsAndWaits;
}

llvm::Error setArithmetic(const TargetRequest &request, StageOptions &options) {
  const std::string &name = request.layersOf.empty() ? request.arithmeticOf : request.layersOf;
  if (name.empty()) {
    return llvm::Error::success();
  }
  llvm::Expected<std::unique_ptr<accelerators::Accelerator>> device =
      accelerators::findAccelerator(name);
  if (!device) {
    return device.takeError();
  }
  if (*device) {
    options.quantize.arithmetic = (*device)->arithmetic();
  }
  options.place.device = request.layersOf;
  return llvm::Error::success();
}

} // namespace

llvm::Expected<StageOptions> stageOptionsFor(const CompileRequest &request,
                                             const ResolvedTarget &target,
                                             llvm::StringRef modelName) {
  const std::string &name = request.output.name;
  if (llvm::Error error = name.empty() ? llvm::Error::success() : codegen::checkModelName(name)) {
    return std::move(error);
  }
  StageOptions options = optionsFor(target.machine, request.schedule.threads);
  options.verifyStages = request.debugging.verifiesStages.value_or(kVerifiesStages);
  if (llvm::Error error = target.backend->setOptions(request, target, options)) {
    return error;
  }
  // The options that a stage reads as the user gives them.
#include "Driver/RequestStages.inc"
  options.layout.measurements = request.measurements;
  setCodegen(request, modelName, options);
  if (llvm::Error error = setArithmetic(request.target, options)) {
    return error;
  }
  if (llvm::Error error = setSchedule(request.schedule, target.machine, options.schedule)) {
    return error;
  }
  options.bands.localise = localiseOf(request.schedule);
  return options;
}

void setSourceExit(StageOptions &options, bool hasVectorTypes) {
  setSourceInstructions(options, hasVectorTypes);
  options.exit = Exit::Source;
}

llvm::Error setIoPlace(const CompileRequest &request, StageOptions &options) {
  bool isByRows = request.output.io == IoPlace::Rows;
  if (isByRows && options.schedule.threads > 1) {
    return llvm::createStringError("--io=rows expects --threads=1, because rows are fetched in "
                                   "order, got " +
                                   std::to_string(options.schedule.threads));
  }
  options.outline.isIoInArena = request.output.io != IoPlace::Caller;
  options.outline.areInputsByRows = isByRows;
  return llvm::Error::success();
}

llvm::Expected<import::ImportOptions> importOptionsFor(const CompileRequest &request,
                                                       const ResolvedTarget &target) {
  import::ImportOptions options;
  for (const auto &[name, shape] : request.inputs.shapes) {
    options.inputShapes[name] = Shape(shape.begin(), shape.end());
  }
  options.dims = request.inputs.dims;
  if (!request.inputs.customOps.empty()) {
    llvm::Expected<import::CustomOps> ops = import::readCustomOps(request.inputs.customOps);
    if (!ops) {
      return ops.takeError();
    }
    options.customOps = std::make_shared<import::CustomOps>(std::move(*ops));
  }
  for (const auto &[name, data] : request.inputs.constants) {
    llvm::Expected<Tensor> tensor = toTensor(data);
    if (!tensor) {
      return withPrefix("constant '" + name + "': ", tensor.takeError());
    }
    options.constants[name] = std::move(*tensor);
  }
  options.allowDynamicInputs =
      request.inputs.allowsOpenDims || target.backend->facts.allowsOpenDims;
  return options;
}

std::string symbolPrefix(llvm::StringRef name) {
  std::string prefix;
  for (char c : name) {
    prefix += llvm::isAlnum(c) ? c : '_';
  }
  return prefix.empty() || llvm::isDigit(prefix[0]) ? "model_" + prefix : prefix;
}

} // namespace convoy::driver
