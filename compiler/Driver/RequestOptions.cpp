// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts with the options of the target and applies the members of the request.

#include "Driver/RequestOptions.h"
#include "Accelerators/Registry.h"
#include "Driver/TensorConversion.h"
#include "Pipeline/TargetOptions.h"
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

llvm::StringRef textOf(Localise localise) {
  switch (localise) {
  case Localise::Default:
    return "";
  case Localise::On:
    return "on";
  case Localise::Off:
    return "off";
  case Localise::Always:
    return "always";
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

llvm::Error setDeadline(const ScheduleRequest &schedule, const targets::Target &machine,
                        tasks::TasksOptions &tasks) {
  if (schedule.deadlineMs == 0) {
    return llvm::Error::success();
  }
  if (machine.powerStates.empty()) {
    return llvm::createStringError("--deadline chooses among power states and target '" +
                                   machine.name +
                                   "' has none; add powerStates to a description of it and give "
                                   "that as --target=FILE.json");
  }
  if (tasks.threads <= 1) {
    return llvm::createStringError("--deadline chooses how many cores to use, got one; add "
                                   "--threads=N");
  }
  tasks.deadlineNs = static_cast<int64_t>(schedule.deadlineMs * 1e6);
  for (const targets::PowerState &state : machine.powerStates) {
    tasks.powerStates.push_back({state.name, static_cast<double>(state.megahertz),
                                 static_cast<double>(state.activeMilliwatts),
                                 static_cast<double>(state.idleMilliwatts)});
  }
  return llvm::Error::success();
}

llvm::Error setSchedule(const ScheduleRequest &schedule, const targets::Target &machine,
                        tasks::TasksOptions &tasks) {
  if (llvm::Error error = checkThreads(schedule, tasks.threads)) {
    return error;
  }
  tasks.report = schedule.report;
  tasks.kernelTimes = schedule.kernelNs;
  if (schedule.localise != Localise::Default) {
    tasks.localise = textOf(schedule.localise).str();
  }
  return setDeadline(schedule, machine, tasks);
}

void setCodegen(const CompileRequest &request, llvm::StringRef modelName, StageOptions &options) {
  const std::string &name = request.output.name;
  options.codegen.model = name.empty() ? symbolPrefix(modelName) : name;
  options.codegen.weights = request.output.weights;
  options.codegen.hasProbes = request.debugging.hasProbes;
  options.codegen.sanitizeThreads = request.debugging.sanitizesThreads;
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
  StageOptions options = optionsFor(target.machine, request.schedule.threads);
  options.verifyStages = request.debugging.verifiesStages.value_or(kVerifiesStages);
  if (request.output.emit == Emit::Source || target.kind == TargetKind::Source) {
    leaveOutIntrinsics(options);
    options.exit = Exit::Source;
  }
  if (target.device) {
    placeOn(*target.device, options);
  }
  options.place.policy = request.placement.policy;
  options.layout.isStrictMath = request.numerics.math == Math::Strict;
  options.layout.measurements = request.measurements;
  options.quantize.isInteger = request.numerics.isInteger;
  setCodegen(request, modelName, options);
  if (llvm::Error error = setArithmetic(request.target, options)) {
    return error;
  }
  if (llvm::Error error = setSchedule(request.schedule, target.machine, options.tasks)) {
    return error;
  }
  return options;
}

llvm::Expected<import::ImportOptions> importOptionsFor(const CompileRequest &request,
                                                       const ResolvedTarget &target) {
  import::ImportOptions options;
  for (const auto &[name, shape] : request.inputs.shapes) {
    options.inputShapes[name] = Shape(shape.begin(), shape.end());
  }
  options.dims = request.inputs.dims;
  for (const auto &[name, data] : request.inputs.constants) {
    llvm::Expected<Tensor> tensor = toTensor(data);
    if (!tensor) {
      return llvm::createStringError("constant '" + name +
                                     "': " + llvm::toString(tensor.takeError()));
    }
    options.constants[name] = std::move(*tensor);
  }
  options.allowDynamicInputs = request.inputs.allowsOpenDims || target.allowsOpenDims();
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
