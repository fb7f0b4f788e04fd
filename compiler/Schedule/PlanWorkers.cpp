// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-schedule-plan-workers: turns @main into one parallel region. The functions of
// Schedule.h and MacroTasks.h compute the schedule, and RegionWriter.cpp writes it as functions.
// @main keeps its calls in program order without waits, as the fallback if the threads are not
// available.

#include "Graph/NodeName.h"
#include "Memory/Attributes.h"
#include "Schedule/MacroTasks.h"
#include "Schedule/Passes.h"
#include "Schedule/PowerPlan.h"
#include "Schedule/RegionWriter.h"
#include "Schedule/Schedule.h"
#include "Schedule/ScheduleReport.h"
#include "Support/OutputFile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace convoy::schedule {
#define GEN_PASS_DEF_PLANWORKERSPASS
#include "Schedule/Passes.h.inc"

namespace {

/// Returns the rows [first, second) of a band.
std::pair<int64_t, int64_t> bandRows(const Work &work, KernelTable &kernels) {
  auto call = dyn_cast<task::CallOp>(work.op);
  if (!work.band || !call || !kernels.of(call).rows) {
    return {0, 0};
  }
  const task::RowSteps &steps = *kernels.of(call).rows;
  return {steps.rowsBefore(work.band->low), steps.rowsBefore(work.band->high)};
}

std::vector<TaskLabel> labelsOf(ArrayRef<Work> works, KernelTable &kernels) {
  std::vector<TaskLabel> labels;
  for (const Work &work : works) {
    auto call = dyn_cast<task::CallOp>(work.op);
    StringRef name = call ? call.getKernel() : work.op->getName().getStringRef();
    labels.push_back(
        {name.str(), graph::nodeText(work.op->getLoc()), work.band, bandRows(work, kernels)});
  }
  return labels;
}

struct PlanWorkers : impl::PlanWorkersPassBase<PlanWorkers> {
  using PlanWorkersPassBase::PlanWorkersPassBase;

  void runOnOperation() override {
    bool hasControl = false;
    getOperation().walk([&](Operation *op) { hasControl |= isa<scf::IfOp, scf::WhileOp>(op); });
    if (threads <= 1 || !hasControl) {
      if (failed(schedule())) {
        signalPassFailure();
      }
      return;
    }
    // Waits in nested branches follow conditions that only a run knows. The check stores a limited
    // number of sides; if this does not prove the schedule safe, the model gets one worker.
    OwningOpRef<ModuleOp> before = getOperation().clone();
    if (failed(schedule())) {
      return signalPassFailure();
    }
    if (isSafe()) {
      return;
    }
    getOperation().emitRemark("one thread executes the model: its branches and loops have no safe "
                              "schedule for several threads");
    getOperation()->setAttrs(before.get()->getAttrDictionary());
    getOperation().getBodyRegion().takeBody(before->getBodyRegion());
    auto wanted = threads.getValue();
    threads = 1;
    LogicalResult result = schedule();
    threads = wanted;
    if (failed(result)) {
      signalPassFailure();
    }
  }

  /// Returns whether the check of the stage accepts the functions of the workers.
  bool isSafe() {
    ScopedDiagnosticHandler silent(&getContext(), [](Diagnostic &) { return success(); });
    KernelTable kernels(getOperation());
    return !getOperation()
                .walk([&](task::ParallelOp region) {
                  SmallVector<func::FuncOp> workers;
                  for (auto name : region.getWorkers().getAsRange<FlatSymbolRefAttr>()) {
                    workers.push_back(getOperation().lookupSymbol<func::FuncOp>(name.getAttr()));
                  }
                  return succeeded(checkWorkers(workers, kernels, mostSides))
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  LogicalResult schedule() {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || !memory::arenaBytesOf(getOperation()) ||
        (threads > 1 && !memory::arenaArgument(main))) {
      return getOperation().emitOpError("has no function @main in planned memory to schedule");
    }
    if (threads <= 1 && !hasBands(main)) {
      return success();
    }
    FailureOr<std::map<std::string, double>> times = readKernelTimes();
    if (failed(times)) {
      return failure();
    }
    KernelTable kernels(getOperation(), *times, threads, grainNs);
    FailureOr<std::vector<Work>> works = collectWork(main, kernels);
    if (failed(works)) {
      return failure();
    }
    if (!times->empty() && !kernels.hasMeasured()) {
      return getOperation().emitError(
          "no kernel of the model has a measured time; measure the same model with "
          "the same target and options");
    }
    findDependences(*works);
    FailureOr<Plan> plan =
        deadlineNs > 0 ? planForDeadline(*works) : planFor(*works, std::max<int64_t>(threads, 1));
    if (failed(plan)) {
      return failure();
    }
    tryBands(main, *works, *plan, kernels);
    main.walk([](task::CallOp call) { call.removeBandsAttr(); });
    predictedNs += static_cast<unsigned>(plan->chosen.makespanNs);
    plainNs += static_cast<unsigned>(plan->plain.makespanNs);
    serialNs += static_cast<unsigned>(plan->graph.serialNs());
    if (!report.empty() &&
        failed(writeReportFile(
            {plan->graph, plan->chosen, plan->plain.makespanNs, labelsOf(*works, kernels)}))) {
      return failure();
    }
    write(main, *works, *plan, kernels);
    return success();
  }

  static bool hasBands(func::FuncOp main) {
    return llvm::any_of(main.getBody().getOps<task::CallOp>(),
                        [](task::CallOp call) { return call.getBands().has_value(); });
  }

  FailureOr<std::map<std::string, double>> readKernelTimes() {
    std::map<std::string, double> times;
    for (const std::string &text : kernelTimes) {
      auto [name, number] = StringRef(text).rsplit(':');
      double ns = 0;
      if (name.empty() || number.getAsDouble(ns) || ns < 0) {
        return getOperation().emitError("expected a kernel's time as name:nanoseconds, got '")
               << text << "'";
      }
      times[name.str()] = ns;
    }
    return times;
  }

  /// A schedule for a number of workers, and the power state of each work, if any.
  struct Plan {
    MacroGraph graph;
    ScheduleCandidate plain;
    ScheduleCandidate chosen;
    std::vector<std::string> states;
  };

  Plan planFor(ArrayRef<Work> works, unsigned workers) {
    Plan plan;
    plan.graph = buildMacroGraph(works, workers, grainNs);
    plan.plain = candidateOf(assignPieces(works, workers, grainNs));
    plan.plain.name = nameOf(Scheduler::ProgramOrder);
    predict(plan.graph, plan.plain);
    plan.chosen = workers == 1 ? plan.plain : chooseSchedule(plan.graph, plan.plain, scheduler);
    return plan;
  }

  /// Replaces the schedule by one with bands if that is shorter.
  void tryBands(func::FuncOp main, std::vector<Work> &works, Plan &plan, KernelTable &kernels) {
    if (localise == bands::Localise::Off || deadlineNs > 0 ||
        scheduler == Scheduler::ProgramOrder) {
      return;
    }
    std::optional<std::vector<Work>> cut = cutBands(works, main, kernels);
    if (!cut) {
      return;
    }
    Plan other;
    other.graph = buildMacroGraph(*cut, plan.graph.workers, grainNs);
    other.plain = plan.plain;
    ScheduleCandidate worst; // in program order, a band would use several workers
    worst.makespanNs = std::numeric_limits<float>::max();
    if (plan.graph.workers == 1) {
      other.chosen = candidateOf(assignPieces(*cut, 1, grainNs));
      predict(other.graph, other.chosen);
    } else {
      other.chosen = chooseSchedule(other.graph, worst, scheduler);
    }
    if (localise == bands::Localise::Always || isBetter(other.chosen, plan.chosen)) {
      other.chosen.name += "+bands";
      works = std::move(*cut);
      plan = std::move(other);
    }
  }

  /// Returns the plan with the least energy among the plans for 1 to `threads` workers.
  FailureOr<Plan> planForDeadline(ArrayRef<Work> works) {
    std::vector<PowerState> states;
    for (const std::string &text : powerStates) {
      std::optional<PowerState> state = parsePowerState(text);
      if (!state) {
        return getOperation().emitError("expects a power state as name:MHz:active mW:idle mW, "
                                        "got '")
               << text << "'";
      }
      states.push_back(*state);
    }
    if (states.empty()) {
      return getOperation().emitError("a deadline needs power states, but the target "
                                      "has none; add powerStates to its description");
    }
    std::vector<Plan> plans;
    std::vector<PowerOption> options;
    for (unsigned workers = 1; workers <= threads; ++workers) {
      plans.push_back(planFor(works, workers));
      options.push_back({plans.back().graph, plans.back().chosen});
    }
    std::vector<unsigned> fastest(works.size(), 0);
    PowerPlan full = predictPower(options, options.size() - 1, states, fastest);
    std::optional<PowerPlan> best = planPower(options, states, static_cast<double>(deadlineNs));
    if (!best) {
      return getOperation().emitError("cannot meet the deadline of ")
             << llvm::formatv("{0:f3} ms: {1} cores at full speed are predicted to take {2:f3} ms",
                              static_cast<double>(deadlineNs) / 1e6, threads.getValue(),
                              full.ns / 1e6)
                    .str();
    }
    Plan plan = std::move(plans[best->option]);
    for (unsigned state : best->states) {
      plan.states.push_back(states[state].name);
    }
    notePowerPlan(*best, full);
    return plan;
  }

  void notePowerPlan(const PowerPlan &plan, const PowerPlan &full) {
    Builder builder(&getContext());
    auto entry = [&](StringRef name, double value) {
      return builder.getNamedAttr(name, builder.getF64FloatAttr(value));
    };
    getOperation()->setAttr(
        task::kPowerPlanAttr,
        builder.getDictionaryAttr({entry("cores", static_cast<double>(plan.option + 1)),
                                   entry("deadlineNs", static_cast<double>(deadlineNs)),
                                   entry("fullMicrojoules", full.microjoules),
                                   entry("fullNs", full.ns), entry("microjoules", plan.microjoules),
                                   entry("ns", plan.ns)}));
  }

  void write(func::FuncOp main, ArrayRef<Work> works, const Plan &plan, KernelTable &kernels) {
    if (plan.graph.workers == 1) {
      orderByBands(works, kernels);
      writePowerStates(works, plan.states);
      return;
    }
    Layer layer = planLayer(works, plan.chosen.order, plan.graph.workers, grainNs, scheduler);
    count(layer);
    writeRegion(main, layer, plan.states, kernels);
    Builder builder(&getContext());
    getOperation()->setAttr(task::kSchedulerAttr, builder.getStringAttr(plan.chosen.name));
    task::setPrediction(getOperation(), {plan.chosen.makespanNs, plan.graph.serialNs()});
  }

  /// With one worker there is no region, so the power states are set in @main.
  static void writePowerStates(ArrayRef<Work> works, ArrayRef<std::string> states) {
    for (size_t i = 0; i < states.size(); ++i) {
      if (i == 0 || states[i] != states[i - 1]) {
        OpBuilder builder(works[i].op);
        builder.create<task::PowerOp>(works[i].op->getLoc(), 0, states[i]);
      }
    }
  }

  LogicalResult writeReportFile(const ReportedSchedule &schedule) {
    llvm::Error error = writeFile(report, [&](llvm::raw_fd_ostream &file) {
      writeReport(file, schedule);
      return llvm::Error::success();
    });
    return error ? getOperation().emitError("--report: ") << llvm::toString(std::move(error))
                 : success();
  }

  void count(const Layer &layer) {
    workCount += layer.works.size();
    for (const std::vector<Step> &list : layer.schedule.workers) {
      pieceCount += list.size();
      for (const Step &step : list) {
        waitCount += step.waits.size();
      }
    }
    for (const auto &[work, body] : layer.loops) {
      count(body);
    }
  }
};

} // namespace
} // namespace convoy::schedule
