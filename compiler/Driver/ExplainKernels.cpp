// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the reasons of templates after the fusion stage, whose kernels are planar, and joins
// them with the kernels after the stage `kernels`, whose templates and times are known. A number
// in the location of each kernel connects both.

#include "Driver/ExplainKernels.h"
#include "Codegen/LLVM/Probe.h"
#include "Driver/ImportRequested.h"
#include "Driver/PlacementText.h"
#include "Driver/RequestOptions.h"
#include "Driver/SummaryObserver.h"
#include "Kernels/Attention/AttentionProblem.h"
#include "Kernels/Kernel.h"
#include "Layout/Candidates.h"
#include "Layout/Refusals.h"
#include "Task/Task.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// Returns why the layout stage prefers the generic loops to a template that can run the kernel.
std::string whySlower(double cycles, double loopCycles, bool isMeasured) {
  if (isMeasured) {
    return "slower by the tuning records or by the estimate";
  }
  if (cycles < loopCycles) {
    return llvm::formatv("estimated slower with the reorders of its layouts: {0:f0} cycles without "
                         "reorders, the generic loops take {1:f0} cycles",
                         cycles, loopCycles)
        .str();
  }
  return llvm::formatv("estimated slower: {0:f0} cycles, the generic loops take {1:f0} cycles",
                       cycles, loopCycles)
      .str();
}

/// Returns the reason of each template for the case that the kernel becomes generic loops.
std::vector<TemplateRefusal> reasonsOf(graph::KernelOp kernel,
                                       const layout::LayoutOptions &options) {
  std::map<std::string, std::string> reasons;
  for (layout::Refusal &refusal :
       layout::refusalsOf(kernel, options.machine, options.isStrictMath)) {
    reasons[refusal.templateId] = std::move(refusal.reason);
  }
  std::map<std::string, double> cycles; // the lowest estimate of each template
  for (const layout::Candidate &candidate :
       layout::candidatesOf(kernel, options.machine, options.isStrictMath)) {
    std::string id = kernels::templateId(candidate.config).str();
    auto [entry, isNew] = cycles.try_emplace(id, candidate.cycles);
    entry->second = std::min(entry->second, candidate.cycles);
  }
  double loopCycles = cycles[kernels::fallbackTemplate().id().str()];
  std::vector<TemplateRefusal> list;
  for (const kernels::KernelTemplate *known : kernels::templates()) {
    std::string id = known->id().str();
    auto reason = reasons.find(id);
    list.push_back({id, reason != reasons.end()
                            ? reason->second
                            : whySlower(cycles[id], loopCycles, options.measurements != nullptr)});
  }
  return list;
}

/// Numbers the kernels after fusion and notes the reasons of each number.
class ReasonObserver : public StageObserver {
public:
  explicit ReasonObserver(const layout::LayoutOptions &options) : options(options) {}

  bool endStage(ModuleOp module, const Stage &stage) override {
    if (stage.name == "fusion") {
      // The layout stage loads the dialect, but the candidates below need it now.
      module.getContext()->loadDialect<kernels::KernelDialect>();
      module.walk([&](graph::KernelOp kernel) {
        kernel->setLoc(codegen::withProbe(kernel.getLoc(), static_cast<int64_t>(reasons.size())));
        reasons.push_back({reasonsOf(kernel, options), kernels::attentionRemark(kernel)});
      });
    } else if (stage.name == "kernels") {
      module.walk([&](task::RunOp run) {
        std::optional<int64_t> number = codegen::probeOf(run.getLoc());
        ofRuns.push_back(number ? reasons[*number] : Reasons());
      });
    }
    return true;
  }

  struct Reasons {
    std::vector<TemplateRefusal> refusals;
    std::string remark;
  };

  /// The reasons of each call of a kernel, in execution order.
  std::vector<Reasons> ofRuns;

private:
  const layout::LayoutOptions &options;
  std::vector<Reasons> reasons; // by number
};

/// Returns the CPU of the request, or an error.
llvm::Expected<ResolvedTarget> cpuOf(const CompileRequest &request) {
  llvm::Expected<ResolvedTarget> target = resolveTarget(request.target, /*isForMemory=*/true);
  if (!target) {
    return target;
  }
  if (target->kind == TargetKind::Reference) {
    return llvm::createStringError("--target: `convoy explain` expects a CPU or a device, got '" +
                                   request.target.name + "', which compiles no kernels");
  }
  std::string flag = deviceFlag(request.placement);
  if (!flag.empty()) {
    return llvm::createStringError(flag + " expects a device as --target, got '" +
                                   request.target.name + "'; `convoy targets` lists the devices");
  }
  return target;
}

} // namespace

Result<KernelExplanations> explainKernels(const Model &model, const CompileRequest &request) {
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
  OwningOpRef<ModuleOp> module = importRequested(model, request, *target, context);
  if (!module || context.log.hasErrors()) {
    return context.log.problems();
  }
  CompileSummary summary;
  SummaryObserver counts(summary, request.schedule.kernelNs);
  ReasonObserver reasons(options->layout);
  ObserverList observers({&counts, &reasons});
  if (failed(runStages(*module, *options, "", "kernels", &observers)) || context.log.hasErrors()) {
    return context.log.problems();
  }
  KernelExplanations result;
  result.target = target->name;
  result.genericLoops = summary.genericLoops;
  for (auto [kernel, own] : llvm::zip(summary.layers, reasons.ofRuns)) {
    KernelExplanation &added = result.kernels.emplace_back();
    added.kernel = std::move(kernel);
    added.remark = std::move(own.remark);
    if (added.isGenericLoops()) {
      added.refusals = std::move(own.refusals);
    }
  }
  return Result<KernelExplanations>(std::move(result), context.log.problems());
}

} // namespace convoy::driver
