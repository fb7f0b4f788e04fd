// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-schedule-plan-workers: turns @main into one parallel region. The functions of
// Schedule.h compute the schedule; this file writes it as functions. @main keeps its calls in
// program order without waits, as the fallback if the threads are not available.

#include "Graph/NodeName.h"
#include "Memory/Attributes.h"
#include "Schedule/MacroTasks.h"
#include "Schedule/Passes.h"
#include "Schedule/PowerPlan.h"
#include "Schedule/Schedule.h"
#include "Schedule/ScheduleReport.h"
#include "Support/OutputFile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace convoy::schedule {
#define GEN_PASS_DEF_PLANWORKERSPASS
#include "Schedule/Passes.h.inc"

namespace {

// Offsets in the arena are multiples of a cache line.
constexpr int64_t kLineBytes = 64;

/// Clones the ops that compute a value at the insertion point: constants and views, up to the
/// values in `mapping`.
Value cloneValue(Value value, IRMapping &mapping, OpBuilder &builder) {
  if (Value known = mapping.lookupOrNull(value)) {
    return known;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands()) {
    cloneValue(operand, mapping, builder);
  }
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

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

/// Writes the functions of a schedule.
class RegionWriter {
public:
  /// `states` holds the power state of each work, or is empty.
  RegionWriter(func::FuncOp main, ArrayRef<Work> works, const Schedule &schedule,
               ArrayRef<std::string> states, KernelTable &kernels)
      : main(main), works(works), schedule(schedule), states(states), kernels(kernels),
        builder(main.getContext()) {}

  void write() {
    growArena();
    SmallVector<Attribute> workers;
    for (unsigned worker = 0; worker < schedule.workers.size(); ++worker) {
      workers.push_back(SymbolRefAttr::get(writeWorker(worker)));
    }
    writeMain(builder.getArrayAttr(workers));
  }

private:
  MemRefType flagsType() {
    int64_t lines = llvm::alignTo(flagsCount, task::kFlagElems);
    return MemRefType::get({lines}, builder.getI32Type());
  }

  /// Assigns flags and words after the flags of the workers to works that several workers execute:
  /// first the flags of rounds, which begin at a cache line, then the words of shares.
  void placeWords() {
    flagsCount = static_cast<int64_t>(schedule.workers.size()) * task::kFlagElems;
    words.resize(works.size());
    placeWords(/*ofRounds=*/true, task::kFlagElems);
    placeWords(/*ofRounds=*/false, task::kWordElems);
  }

  void placeWords(bool ofRounds, int64_t elems) {
    for (const std::vector<Step> &list : schedule.workers) {
      for (const Step &step : list) {
        const Piece &piece = step.piece;
        if (piece.parts > 1 && piece.part == 0 && (works[piece.work].rounds > 1) == ofRounds) {
          words[piece.work] = flagsCount;
          flagsCount += piece.parts * elems;
        }
      }
    }
  }

  unsigned arenaArgument() { return *memory::arenaArgument(main); }

  /// Adds flags and scratch memory for each worker after the memory-planned part of the arena. The
  /// planned scratch memory is only for one kernel at a time.
  void growArena() {
    auto module = main->getParentOfType<ModuleOp>();
    BlockArgument arena = main.getArgument(arenaArgument());
    placeWords();
    flagsOffset = llvm::alignTo(cast<MemRefType>(arena.getType()).getNumElements(), kLineBytes);
    scratchOffset = flagsOffset + flagsType().getNumElements() * 4;
    main.walk([&](task::CallOp call) {
      if (std::optional<unsigned> scratch = kernels.of(call).scratch) {
        auto type = cast<MemRefType>(call.getOperand(*scratch).getType());
        int64_t bytes = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
        scratchBytes = std::max<int64_t>(scratchBytes, llvm::alignTo(bytes, kLineBytes));
      }
    });
    int64_t bytes = scratchOffset + scratchBytes * static_cast<int64_t>(schedule.workers.size());
    arena.setType(MemRefType::get({bytes}, builder.getI8Type()));
    SmallVector<Type> arguments(main.getBody().getArgumentTypes());
    main.setFunctionType(builder.getFunctionType(arguments, main.getResultTypes()));
    memory::setArenaBytes(module, bytes);
    module->setAttr(task::kThreadsAttr, builder.getI64IntegerAttr(schedule.workers.size()));
  }

  Value createFlags(Location loc, func::FuncOp function) {
    Value offset = builder.create<arith::ConstantIndexOp>(loc, flagsOffset);
    return builder.create<memref::ViewOp>(loc, flagsType(), function.getArgument(arenaArgument()),
                                          offset, ValueRange());
  }

  func::FuncOp writeWorker(unsigned worker) {
    builder.setInsertionPointAfter(lastFunction);
    std::string name = ("worker_" + Twine(worker)).str();
    auto type = builder.getFunctionType(main.getArgumentTypes(), {});
    auto function = builder.create<func::FuncOp>(main.getLoc(), name, type);
    function.setPrivate();
    function->setAttr(task::kWorkerAttr, builder.getUnitAttr());
    lastFunction = function;
    builder.setInsertionPointToEnd(function.addEntryBlock());
    Value flags = createFlags(main.getLoc(), function);
    IRMapping values;
    values.map(main.getArguments(), function.getArguments());
    if (worker == 0) {
      builder.create<task::PostOp>(main.getLoc(), flags, worker, 1);
    }
    StringRef state;
    for (auto [index, step] : llvm::enumerate(schedule.workers[worker])) {
      Location loc = works[step.piece.work].op->getLoc();
      if (!states.empty() && states[step.piece.work] != state) {
        state = states[step.piece.work];
        builder.create<task::PowerOp>(loc, worker, state);
      }
      for (const Wait &wait : step.waits) {
        builder.create<task::WaitOp>(loc, flags, wait.worker, wait.count);
      }
      writePiece(step.piece, flags, function, values);
      if (step.isPosted) {
        builder.create<task::PostOp>(loc, flags, worker, countAfter(worker, index));
      }
    }
    if (worker == 0) {
      for (const Wait &wait : schedule.last) {
        builder.create<task::WaitOp>(main.getLoc(), flags, wait.worker, wait.count);
      }
    }
    builder.create<func::ReturnOp>(main.getLoc());
    return function;
  }

  /// Writes a copy of the work, as a share or as rounds if other workers have parts of it.
  /// Addresses are recomputed for each piece, so that they are not live across the whole list.
  void writePiece(const Piece &piece, Value flags, func::FuncOp function, IRMapping &values) {
    Operation *op = works[piece.work].op;
    IRMapping mapping = values;
    OpBuilder::InsertionGuard guard(builder);
    for (const Guard &around : works[piece.work].guards) {
      enter(around, mapping);
    }
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used) {
      cloneValue(value, mapping, builder);
    }
    Operation *copy = builder.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
      values.map(from, to);
    }
    copy->walk([&](task::CallOp call) { moveScratch(call, piece.worker, function); });
    if (const std::optional<Band> &band = works[piece.work].band) {
      auto call = cast<task::CallOp>(copy);
      narrowToBand(call, *band, *kernels.of(call).rows);
    }
    if (piece.parts > 1) {
      share(cast<task::CallOp>(copy), piece, flags);
    }
  }

  /// Continues inside a branch, on the side of the guard.
  void enter(const Guard &guard, IRMapping &mapping) {
    Location loc = guard.condition.getLoc();
    Value condition = cloneValue(guard.condition, mapping, builder);
    auto branch = builder.create<scf::IfOp>(loc, condition, /*withElseRegion=*/!guard.isThen);
    builder.setInsertionPoint(guard.isThen ? branch.thenYield() : branch.elseYield());
  }

  /// Creates the op that runs a call on several workers. Returns its empty body.
  Region &createShared(Location loc, const Piece &piece, Value flags) {
    const Work &work = works[piece.work];
    int64_t word = words[piece.work];
    if (work.rounds > 1) {
      return builder
          .create<task::RoundsOp>(loc, flags, word, piece.part, piece.parts,
                                  work.range / work.rounds, work.rounds)
          .getBody();
    }
    return builder
        .create<task::ShareOp>(loc, flags, word, piece.part, piece.parts, work.range,
                               leastSteps(work))
        .getBody();
  }

  /// Moves a call into a share or into rounds; the call then covers the steps of the worker.
  void share(task::CallOp call, const Piece &piece, Value flags) {
    builder.setInsertionPoint(call);
    Block &body = createShared(call.getLoc(), piece, flags).emplaceBlock();
    body.addArguments({builder.getIndexType(), builder.getIndexType()},
                      {call.getLoc(), call.getLoc()});
    call->moveBefore(&body, body.end());
    call.setSteps(body.getArgument(0), body.getArgument(1));
  }

  void moveScratch(task::CallOp call, unsigned worker, func::FuncOp function) {
    std::optional<unsigned> scratch = kernels.of(call).scratch;
    if (!scratch) {
      return;
    }
    builder.setInsertionPoint(call);
    auto type = cast<MemRefType>(call.getOperand(*scratch).getType());
    Value offset = builder.create<arith::ConstantIndexOp>(call.getLoc(),
                                                          scratchOffset + worker * scratchBytes);
    call.setOperand(*scratch, builder.create<memref::ViewOp>(call.getLoc(), type,
                                                             function.getArgument(arenaArgument()),
                                                             offset, ValueRange()));
  }

  /// Writes the parallel region, followed by the original body of @main as the fallback.
  void writeMain(ArrayAttr workers) {
    Block &body = main.getBody().front();
    Operation *terminator = body.getTerminator();
    SmallVector<Operation *> serial;
    for (Operation &op : body.without_terminator()) {
      serial.push_back(&op);
    }
    Location loc = main.getLoc();
    builder.setInsertionPointToStart(&body);
    Value flags = createFlags(loc, main);
    Value ran = builder.create<task::ParallelOp>(loc, builder.getI1Type(), workers,
                                                 main.getArguments(), flags);
    auto branch = builder.create<scf::IfOp>(loc, ran, /*withElseRegion=*/true);
    IRMapping mapping;
    mapping.map(main.getArguments(), main.getArguments());
    builder.setInsertionPoint(terminator);
    for (OpOperand &operand : terminator->getOpOperands()) {
      operand.set(cloneValue(operand.get(), mapping, builder));
    }
    for (Operation *op : serial) {
      op->moveBefore(branch.elseYield());
    }
  }

  func::FuncOp main;
  ArrayRef<Work> works;
  const Schedule &schedule;
  ArrayRef<std::string> states;
  KernelTable &kernels;
  OpBuilder builder;
  Operation *lastFunction = main; // workers follow in order
  int64_t flagsCount = 0;         // elements of flags and words
  std::vector<int64_t> words;     // by work: word of its share, or flag of its rounds
  int64_t flagsOffset = 0;
  int64_t scratchOffset = 0;
  int64_t scratchBytes = 0; // per worker
};

struct PlanWorkers : impl::PlanWorkersPassBase<PlanWorkers> {
  using PlanWorkersPassBase::PlanWorkersPassBase;

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || !memory::arenaBytesOf(getOperation()) ||
        (threads > 1 && !memory::arenaArgument(main))) {
      getOperation().emitOpError("has no function @main in planned memory to schedule");
      return signalPassFailure();
    }
    if (threads <= 1 && !hasBands(main)) {
      return;
    }
    FailureOr<std::map<std::string, double>> times = readKernelTimes();
    if (failed(times)) {
      return signalPassFailure();
    }
    KernelTable kernels(getOperation(), *times, threads, grainNs);
    FailureOr<std::vector<Work>> works = collectWork(main, kernels);
    if (failed(works)) {
      return signalPassFailure();
    }
    if (!times->empty() && !kernels.hasMeasured()) {
      getOperation().emitError(
          "no kernel of the model has a measured time; measure the same model with "
          "the same target and options");
      return signalPassFailure();
    }
    findDependences(*works);
    FailureOr<Plan> plan =
        deadlineNs > 0 ? planForDeadline(*works) : planFor(*works, std::max<int64_t>(threads, 1));
    if (failed(plan)) {
      return signalPassFailure();
    }
    tryBands(main, *works, *plan, kernels);
    main.walk([](task::CallOp call) { call.removeBandsAttr(); });
    predictedNs += static_cast<unsigned>(plan->chosen.makespanNs);
    plainNs += static_cast<unsigned>(plan->plain.makespanNs);
    serialNs += static_cast<unsigned>(plan->graph.serialNs());
    if (!report.empty() &&
        failed(writeReportFile(
            {plan->graph, plan->chosen, plan->plain.makespanNs, labelsOf(*works, kernels)}))) {
      return signalPassFailure();
    }
    write(main, *works, *plan, kernels);
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
    std::vector<Piece> pieces = piecesOf(plan.chosen.order);
    Schedule schedule = insertWaits(works, pieces, plan.graph.workers);
    count(works, pieces, schedule);
    RegionWriter(main, works, schedule, plan.states, kernels).write();
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
    return error
               ? getOperation().emitError("--schedule-report: ") << llvm::toString(std::move(error))
               : success();
  }

  void count(ArrayRef<Work> works, ArrayRef<Piece> pieces, const Schedule &schedule) {
    pieceCount += pieces.size();
    workCount += works.size();
    for (const std::vector<Step> &list : schedule.workers) {
      for (const Step &step : list) {
        waitCount += step.waits.size();
      }
    }
  }
};

} // namespace
} // namespace convoy::schedule
