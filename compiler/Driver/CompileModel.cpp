// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model: imports it, calibrates it, runs the stages and makes the artefact that
// the request names. All tools compile through this file.

#include "Driver/CompileModel.h"
#include "Accelerators/Passes.h"
#include "Driver/Backends/Device/PlacementText.h"
#include "Driver/ImportRequested.h"
#include "Driver/Loaders.h"
#include "Driver/LoopsWarning.h"
#include "Driver/Pages.h"
#include "Driver/ReportFiles.h"
#include "Driver/Reproducer.h"
#include "Driver/RequestOptions.h"
#include "Driver/WriteArtefact.h"
#include "Graph/Graph.h"
#include "Pipeline/StageReports.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// Reports the beginning of each stage as progress.
class StepObserver : public StageObserver {
public:
  StepObserver(const CompileRequest &request, int total) : request(request), total(total) {}

  void begin(const std::string &name) {
    if (request.progress) {
      request.progress({name, ++number, total});
    }
  }
  void beginStage(const Stage &stage) override { begin(stage.name.str()); }

private:
  const CompileRequest &request;
  int number = 0, total;
};

/// Reports a device that runs no op, and stops the compile if the request requires one.
class PlacementObserver : public StageObserver {
public:
  PlacementObserver(const CompileRequest &request, const PlacementSummary &placement,
                    Problems &problems)
      : request(request), placement(placement), problems(problems) {}

  bool endStage(ModuleOp, const Stage &) override {
    if (isChecked || placement.device.empty()) {
      return true; // the report has no placement yet
    }
    isChecked = true;
    std::optional<Problem> problem = unusedDevice(placement, request);
    if (problem) {
      problems.add(*problem);
    }
    return !problem || !problem->isError();
  }

private:
  const CompileRequest &request;
  const PlacementSummary &placement;
  Problems &problems;
  bool isChecked = false;
};

/// Returns the last stage that the artefact needs; empty: all stages.
StringRef lastStage(const CompileRequest &request) {
  return !request.debugging.stopAfter.empty()   ? StringRef(request.debugging.stopAfter)
         : request.output.emit == Emit::Program ? StringRef("device")
                                                : StringRef();
}

/// Counts the import, the stages, and the step that makes the artefact.
int countSteps(const CompileRequest &request) {
  int count = 2;
  for (const Stage &stage : stages()) {
    ++count;
    if (stage.name == lastStage(request)) {
      break;
    }
  }
  return count;
}

bool isQuantized(ModuleOp module) {
  bool result = false;
  module.walk([&](graph::QuantizeLinearOp) { result = true; });
  return result;
}

bool hasStaticInputs(ModuleOp module) {
  return llvm::all_of(mainOf(module).getArgumentTypes(), [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor && tensor.hasStaticShape();
  });
}

/// One compile. Each step adds its problems to the log and returns whether it succeeded.
class Compilation {
public:
  Compilation(const Model &model, const CompileRequest &request, const CompileHooks &hooks)
      : model(model), request(request), hooks(hooks), steps(request, countSteps(request)),
        context(std::make_unique<CompileContext>()) {}

  Result<Artefact> run() {
    artefact.kind = request.output.emit;
    bool isDone = prepare() && import() && finish();
    Problems problems = context ? context->log.problems() : loadProblems;
    if (hasCrashed) {
      // Destructors would read what the crash left.
      [[maybe_unused]] ModuleOp lostModule = module.release();
      [[maybe_unused]] auto *lostContext = context.release();
    }
    if (isDone) {
      return Result<Artefact>(std::move(artefact), std::move(problems));
    }
    if (!problems.hasErrors()) {
      problems.addError("this is a bug in convoy: a step failed without a diagnostic",
                        ProblemKind::Bug);
    }
    return problems;
  }

private:
  bool fail(llvm::Error error) {
    context->log.add(std::move(error));
    return false;
  }

  bool isForMemory() const { return request.output.emit == Emit::Memory; }

  bool prepare() {
    llvm::Expected<ResolvedTarget> found = resolveTarget(request.target, isForMemory());
    if (!found) {
      return fail(found.takeError());
    }
    target = std::move(*found);
    if (request.output.emit == Emit::Program && !target.device) {
      return fail(llvm::createStringError("--emit=program expects a device as --target, got '" +
                                          request.target.name +
                                          "'; `convoy targets` lists the devices"));
    }
    if (request.output.emit == Emit::Library && target.isMicro()) {
      return fail(llvm::createStringError("--emit=library expects a target with shared libraries, "
                                          "got '" +
                                          target.name + "'; use --emit=c"));
    }
    std::string flag = deviceFlag(request.placement);
    if (!flag.empty() && !target.device && request.target.layersOf.empty()) {
      return fail(llvm::createStringError(flag + " expects a device as --target, got '" +
                                          request.target.name +
                                          "'; `convoy targets` lists the devices"));
    }
    llvm::Expected<StageOptions> stages = stageOptionsFor(request, target, model.name());
    if (!stages) {
      return fail(stages.takeError());
    }
    options = std::move(*stages);
    if (isForMemory() && target.kind == TargetKind::Machine) {
      if (llvm::Error error = checkRunnable(target.machine)) {
        return fail(std::move(error));
      }
    }
    const std::string &last = request.debugging.stopAfter;
    if (!last.empty() && !findStage(last)) {
      return fail(llvm::createStringError("unknown stage '" + last + "'; expected one of " +
                                          llvm::join(stageNames(), ", ")));
    }
    reportModelFile(model.file(), artefact.report);
    return true;
  }

  bool import() {
    steps.begin("import");
    module = importRequested(model, request, target, *context);
    if (module && hooks.imported) {
      hooks.imported(*module);
    }
    if (module) {
      inputs = argumentNames(mainOf(*module));
      outputs = resultNames(mainOf(*module));
    }
    return module && !context->log.hasErrors();
  }

  bool runStages(StringRef last) {
    ReportObserver report(options, artefact.report);
    PlacementObserver placement(request, artefact.report.placement, context->log.problems());
    Reproducer reproducer(*module, options, hooks.observer);
    ObserverList observers({&steps, &report, target.device ? &placement : nullptr, hooks.observer,
                            request.debugging.writesReproducer ? &reproducer : nullptr});
    auto run = [&] { return convoy::runStages(*module, options, "", last, &observers); };
    if (!request.debugging.writesReproducer) {
      return succeeded(run()) && !context->log.hasErrors();
    }
    return runReproducibly(reproducer, run);
  }

  bool runReproducibly(Reproducer &reproducer, llvm::function_ref<LogicalResult()> stages) {
    Problems &problems = context->log.problems();
    std::optional<LogicalResult> result = reproducer.run(stages, problems);
    hasCrashed = !result;
    if (result && succeeded(*result) && !problems.hasErrors()) {
      return true;
    }
    auto isBug = [](const Problem &problem) { return problem.kind == ProblemKind::Bug; };
    if (llvm::any_of(problems.all(), isBug) || reproducer.hasInvalidIr()) {
      reproducer.write(model.name(), problems);
    }
    return false;
  }

  bool finish() {
    if (target.kind == TargetKind::Reference) {
      return runReferenceStages() && keep(loadReference(std::move(module)));
    }
    if (!runStages(lastStage(request))) {
      return false;
    }
    if (!request.debugging.stopAfter.empty()) {
      artefact.ir = irText(*module);
      return true;
    }
    return isForMemory() ? load() : write() && warnOfLoops();
  }

  /// Warns of generic loops. Beside a device, the CPU runs few layers, and the verdict on the
  /// placement names them.
  bool warnOfLoops() {
    std::string text = target.device ? "" : loopsWarning(model, request, artefact.report);
    if (!text.empty()) {
      context->log.problems().add({ProblemKind::Warning, text, {}});
    }
    return true;
  }

  /// Prepares the imported model for the reference. A quantised model becomes its integer
  /// graph, unless it has open dimensions.
  bool runReferenceStages() {
    if (!request.target.layersOf.empty()) {
      PassManager passes(&context->mlir);
      passes.addPass(accelerators::createInsertLayersPass());
      return runStages("place") && succeeded(passes.run(*module));
    }
    bool hasIntegerGraph =
        options.quantize.isInteger && isQuantized(*module) && hasStaticInputs(*module);
    return !hasIntegerGraph || runStages("quantize");
  }

  bool load() {
    steps.begin("load");
    codegen::ModelInterface interface;
    std::unique_ptr<Executable> executable =
        target.kind == TargetKind::Device
            ? loadDevice(*module, options.codegen, *target.device, hooks.device, interface)
        : target.kind == TargetKind::Source
            ? loadSource(*module, sourceOptionsFor(request, target, options.codegen),
                         request.output.cCompiler, interface)
        : target.isMicro() ? loadMicro(*module, sourceOptionsFor(request, target, options.codegen),
                                       request.output.limits, interface)
                           : loadMachine(*module, options.codegen, interface);
    reportInterface(interface, artefact.report);
    return keep(std::move(executable));
  }

  bool keep(std::unique_ptr<Executable> executable) {
    if (!executable) {
      return false;
    }
    loadProblems = context->log.problems();
    module = nullptr; // destroyed before its context moves
    artefact.memory = std::make_shared<InMemoryModel>(std::make_unique<LoadedProgram>(
        std::move(context), std::move(executable), std::move(inputs), std::move(outputs)));
    return true;
  }

  bool write() {
    steps.begin(request.output.emit == Emit::Library  ? "library"
                : request.output.emit == Emit::Source ? "source"
                                                      : "programs");
    if (llvm::Error error = writeArtefact(model, request, target, options, *module, artefact)) {
      return fail(std::move(error));
    }
    return true;
  }

  const Model &model;
  const CompileRequest &request;
  const CompileHooks &hooks;
  StepObserver steps;
  std::unique_ptr<CompileContext> context; // null once a model in memory owns it
  OwningOpRef<ModuleOp> module;
  ResolvedTarget target;
  StageOptions options;
  std::vector<std::string> inputs, outputs;
  Artefact artefact;
  Problems loadProblems;
  bool hasCrashed = false;
};

} // namespace

Result<Artefact> compileModel(const Model &model, const CompileRequest &request,
                              const CompileHooks &hooks) {
  return Compilation(model, request, hooks).run();
}

} // namespace convoy::driver

namespace convoy {

Result<Artefact> compileModel(const Model &model, const CompileRequest &request) {
  return driver::compileModel(model, request, {});
}

} // namespace convoy
