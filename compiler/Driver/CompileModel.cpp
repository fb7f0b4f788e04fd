// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model: imports it, calibrates it, runs the stages and makes the artifact that
// the request names. All tools compile through this file.

#include "Driver/CompileModel.h"
#include "Driver/Backends/Device/PlacementText.h"
#include "Driver/CustomLibrary.h"
#include "Driver/ImportRequested.h"
#include "Driver/LoadedProgram.h"
#include "Driver/LoopsWarning.h"
#include "Driver/Pages.h"
#include "Driver/ReportFiles.h"
#include "Driver/Reproducer.h"
#include "Driver/RequestOptions.h"
#include "Driver/WriteArtifact.h"
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

/// Counts the import, the stages, and the step that makes the artifact.
int countSteps(const CompileRequest &request) {
  StringRef last = request.debugging.stopAfter;
  if (last.empty() && request.output.emit == Emit::Program) {
    last = kProgramStage;
  }
  int count = 2;
  for (const Stage &stage : stages()) {
    ++count;
    if (stage.name == last) {
      break;
    }
  }
  return count;
}

/// One compile. Each step adds its problems to the log and returns whether it succeeded.
class Compilation {
public:
  Compilation(const Model &model, const CompileRequest &request, const CompileHooks &hooks)
      : request(request), hooks(hooks), steps(request, countSteps(request)),
        context(std::make_unique<CompileContext>()), job{model, request, hooks} {}

  Result<Artifact> run() {
    job.artifact.kind = request.output.emit;
    bool isDone = prepare() && import() && finish();
    Problems problems = context ? context->log.problems() : loadProblems;
    if (hasCrashed) {
      // Destructors would read what the crash left.
      [[maybe_unused]] ModuleOp lostModule = job.module.release();
      [[maybe_unused]] auto *lostContext = context.release();
    }
    if (isDone) {
      return Result<Artifact>(std::move(job.artifact), std::move(problems));
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
    job.target = std::move(*found);
    const Backend &backend = *job.target.backend;
    if (llvm::Error error = backend.check(request, job.target)) {
      return fail(std::move(error));
    }
    llvm::Expected<StageOptions> stages = stageOptionsFor(request, job.target, job.model.name());
    if (!stages) {
      return fail(stages.takeError());
    }
    job.options = std::move(*stages);
    if (isForMemory()) {
      if (llvm::Error error = backend.checkRunnable(job.target)) {
        return fail(std::move(error));
      }
    }
    const std::string &last = request.debugging.stopAfter;
    if (!last.empty() && !findStage(last)) {
      return fail(llvm::createStringError("unknown stage '" + last + "'; expected one of " +
                                          llvm::join(stageNames(), ", ")));
    }
    reportModelFile(job.model.file(), job.artifact.report);
    return true;
  }

  bool import() {
    steps.begin("import");
    job.module = importRequested(job.model, request, job.target, *context);
    if (job.module && hooks.imported) {
      hooks.imported(*job.module);
    }
    if (job.module) {
      signature = ModelSignature(job.model.file(), mainOf(*job.module));
    }
    return job.module && !context->log.hasErrors();
  }

  bool runStages(StringRef last) {
    ReportObserver report(job.options, job.artifact.report);
    PlacementObserver placement(request, job.artifact.report.placement, context->log.problems());
    Reproducer reproducer(*job.module, job.options, hooks.observer);
    ObserverList observers({&steps, &report, job.target.device ? &placement : nullptr,
                            hooks.observer,
                            request.debugging.writesReproducer ? &reproducer : nullptr});
    auto run = [&] { return convoy::runStages(*job.module, job.options, "", last, &observers); };
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
      reproducer.write(job.model.name(), problems);
    }
    return false;
  }

  bool finish() {
    if (!request.debugging.stopAfter.empty()) {
      bool isDone = runStages(request.debugging.stopAfter);
      job.artifact.ir = isDone ? irText(*job.module) : "";
      return isDone;
    }
    return job.target.backend->runStages(job, [&](StringRef last) { return runStages(last); }) &&
           (isForMemory() ? load() : write());
  }

  bool load() {
    steps.begin("load");
    return keep(job.target.backend->load(job));
  }

  bool keep(std::unique_ptr<Executable> executable) {
    if (!executable) {
      return false;
    }
    loadProblems = context->log.problems();
    job.module = nullptr; // destroyed before its context moves
    job.artifact.memory = std::make_shared<InMemoryModel>(std::make_unique<LoadedProgram>(
        std::move(context), std::move(executable), std::move(signature)));
    return true;
  }

  bool write() {
    steps.begin(request.output.emit == Emit::Library  ? "library"
                : request.output.emit == Emit::Source ? "source"
                                                      : "programs");
    if (request.output.emit == Emit::Library) {
      auto objects = customObjectsFor(*job.module, job.target.machine);
      if (!objects) {
        return fail(objects.takeError());
      }
      job.options.codegen.customObjects = std::move(*objects);
    }
    if (llvm::Error error = job.target.backend->write(job)) {
      return fail(std::move(error));
    }
    std::string text = loopsWarning(job.model, request, job.artifact.report);
    if (!text.empty()) {
      context->log.problems().add({ProblemKind::Warning, text, {}});
    }
    return true;
  }

  const CompileRequest &request;
  const CompileHooks &hooks;
  StepObserver steps;
  std::unique_ptr<CompileContext> context; // null once a model in memory owns it
  BackendJob job;                          // its module is destroyed before the context
  ModelSignature signature;
  Problems loadProblems;
  bool hasCrashed = false;
};

} // namespace

Result<Artifact> compileModel(const Model &model, const CompileRequest &request,
                              const CompileHooks &hooks) {
  return Compilation(model, request, hooks).run();
}

} // namespace convoy::driver

namespace convoy {

Result<Artifact> compileModel(const Model &model, const CompileRequest &request) {
  return driver::compileModel(model, request, {});
}

} // namespace convoy
