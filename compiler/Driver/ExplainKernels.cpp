// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages up to `kernels` with reasons and returns their report. The layout stage records
// the reasons on each kernel (InsertReasons.cpp).

#include "Driver/ExplainKernels.h"
#include "Driver/ImportRequested.h"
#include "Driver/NearestTemplate.h"
#include "Driver/RequestOptions.h"
#include "Pipeline/StageReports.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// Returns the CPU of the request, or an error.
llvm::Expected<ResolvedTarget> cpuOf(const CompileRequest &request) {
  llvm::Expected<ResolvedTarget> target = resolveTarget(request.target, /*isForMemory=*/true);
  if (!target) {
    return target;
  }
  if (!target->backend->facts.hasKernels) {
    return llvm::createStringError("--target: `convoy explain` expects a CPU or a device, got '" +
                                   request.target.name + "', which compiles no kernels");
  }
  if (llvm::Error error = target->backend->check(request, *target)) {
    return error;
  }
  return target;
}

} // namespace

Result<CompileReport> explainKernels(const Model &model, const CompileRequest &request) {
  CompileContext context;
  llvm::Expected<ResolvedTarget> target = cpuOf(request);
  if (!target) {
    context.log.add(target.takeError());
    return context.log.problems();
  }
  llvm::Expected<StageOptions> options = stageOptionsFor(request, *target, model.name());
  if (!options) {
    context.log.add(options.takeError());
    return context.log.problems();
  }
  options->layout.recordsReasons = true;
  OwningOpRef<ModuleOp> module = importRequested(model, request, *target, context);
  if (!module || context.log.hasErrors()) {
    return context.log.problems();
  }
  CompileReport report;
  report.target = target->name;
  ReportObserver observer(*options, report);
  if (failed(runStages(*module, *options, "", "kernels", &observer)) || context.log.hasErrors()) {
    return context.log.problems();
  }
  sortRefusals(report);
  return Result<CompileReport>(std::move(report), context.log.problems());
}

} // namespace convoy::driver
