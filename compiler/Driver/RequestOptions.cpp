// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts with the options of the target and applies the members of the request.

#include "Driver/RequestOptions.h"
#include "Accelerators/Registry.h"
#include "Driver/Backends/Micro/MicroText.h"
#include "Driver/TensorConversion.h"
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
  options.report = request.report;
  options.kernelTimes = request.kernelNs;
  return setDeadline(request, machine, options);
}

void setCodegen(const CompileRequest &request, llvm::StringRef modelName, StageOptions &options) {
  const std::string &name = request.output.name;
  options.codegen.model = name.empty() ? symbolPrefix(modelName) : name;
  options.codegen.weights = request.output.weights;
  options.outline.hasProbes = request.debugging.probes != Probes::None;
  options.codegen.hasProbes = options.outline.hasProbes;
  options.codegen.hasWaitProbes = request.debugging.probes == Probes::KernelsAndWaits;
  options.codegen.sanitizeThreads = request.debugging.sanitizesThreads;
}

/// Lists the memories of a microcontroller for the planner. The first memory loses the stack, if it
/// holds the stack, and the variables of runtime/micro.
void setMemories(const targets::Target &target, memory::MemoryOptions &options) {
  constexpr int64_t kRuntimeBytes = 1024;
  std::vector<const targets::Memory *> memories = memoriesFor(target, "data");
  const targets::Memory &fastest = *memories.front();
  for (const targets::Memory *memory : memories) {
    options.memories.push_back({memory->name, memory->bytes});
  }
  int64_t used = &memoryFor(target, "stack") == &fastest ? target.toolchain->stackBytes : 0;
  options.memories.front().bytes = std::max<int64_t>(fastest.bytes - used - kRuntimeBytes, 1);
  options.copiesWeights = llvm::is_contained(fastest.holds, "weights") &&
                          fastest.accessCycles < memoryFor(target, "weights").accessCycles;
}

/// Sets the places of tensors that emitted C supports. A microcontroller has no cache lines; its
/// description gives the alignment of tensors. Vector types need the alignment of a vector. On a
/// microcontroller, layers run row by row where this needs less memory.
llvm::Error setMemory(const CompileRequest &request, const ResolvedTarget &target,
                      StageOptions &options) {
  bool isByRows = request.output.io == IoPlace::Rows;
  bool isArena = request.output.io == IoPlace::Arena || isByRows;
  llvm::StringRef flag = isByRows ? "--io=rows" : "--io=arena";
  if (isArena && options.exit != Exit::Source && target.kind != TargetKind::Reference) {
    return llvm::createStringError(flag + " expects C source, got target '" + target.name +
                                   "' without --emit=c; add --emit=c, or choose a microcontroller "
                                   "as --target");
  }
  if (isByRows && options.schedule.threads > 1) {
    return llvm::createStringError("--io=rows expects --threads=1, because rows are fetched in "
                                   "order, got " +
                                   std::to_string(options.schedule.threads));
  }
  const MemoryLimits &limits = request.output.limits;
  if ((limits.ramBytes > 0 || limits.flashBytes > 0) && !target.isMicro()) {
    return llvm::createStringError("--ram and --flash expect a microcontroller as --target, got '" +
                                   target.name + "'; `convoy targets` lists the targets");
  }
  options.outline.isIoInArena = isArena;
  options.outline.areInputsByRows = isByRows;
  if (target.isMicro() && request.output.loops != SourceLoops::Vectors) {
    options.memory.alignment = memoryFor(target.machine, "data").alignmentBytes;
    options.memory.rows = request.schedule.localise == Localise::Default;
  }
  if (target.isMicro()) {
    setMemories(target.machine, options.memory);
  }
  return llvm::Error::success();
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
  if (target.isMicro() && options.schedule.threads > 1) {
    return llvm::createStringError("--threads expects 1 for target '" + target.name +
                                   "', which has one core and no threads, got " +
                                   std::to_string(options.schedule.threads));
  }
  if (request.output.emit == Emit::Source || target.kind == TargetKind::Source ||
      target.isMicro()) {
    setSourceInstructions(options, !target.isMicro() && !hasPlainLoops(request, target));
    options.exit = Exit::Source;
  }
  if (llvm::Error error = setMemory(request, target, options)) {
    return error;
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
  if (llvm::Error error = setSchedule(request.schedule, target.machine, options.schedule)) {
    return error;
  }
  options.bands.localise = localiseOf(request.schedule);
  return options;
}

bool hasPlainLoops(const CompileRequest &request, const ResolvedTarget &target) {
  if (target.kind == TargetKind::Source) {
    return target.isPlain;
  }
  return request.output.loops == SourceLoops::Target
             ? target.machine.sourceLoops == targets::LoopForm::Plain
             : request.output.loops == SourceLoops::Plain;
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
      return withPrefix("constant '" + name + "': ", tensor.takeError());
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
