// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the functions of a schedule. A loop that several workers execute becomes a loop in each of
// them, with the list of the worker for one iteration:
//
//     scf.while (%i, %base) {           // each worker evaluates the condition
//       task.team_wait %flags[4] 1 plus %base
//       task.share %flags[80] part 1 of 2 ...
//       task.team_post %flags[5] 2 plus %base
//       task.team_post %flags[5] 3 plus %base     // the workers meet
//       task.team_wait %flags[4] 3 plus %base
//       scf.yield %i + 1, %base + 3
//     }
//
// The counts of a loop grow until the region ends, so the own flag of a worker holds the base of
// the next execution of the loop.

#include "Schedule/RegionWriter.h"
#include "Memory/Attributes.h"
#include "Task/Team.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace convoy::schedule {
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

/// Returns a count that is greater than the counts that workers post after their steps.
int32_t countAfterAll(const Schedule &schedule) {
  int32_t count = 1;
  for (auto [worker, list] : llvm::enumerate(schedule.workers)) {
    count = std::max(count, countAfter(worker, list.size()));
  }
  return count;
}

class RegionWriter {
public:
  RegionWriter(func::FuncOp main, Layer &layer, ArrayRef<std::string> states, KernelTable &kernels)
      : main(main), layer(layer), states(states), kernels(kernels), builder(main.getContext()) {}

  void write() {
    growArena();
    SmallVector<Attribute> workers;
    for (unsigned worker = 0; worker < layer.schedule.workers.size(); ++worker) {
      workers.push_back(SymbolRefAttr::get(writeWorker(worker)));
    }
    writeMain(builder.getArrayAttr(workers));
  }

private:
  /// Where a list is written: the function of a worker, or a loop in it.
  struct Place {
    const Layer &layer;
    func::FuncOp function;
    unsigned worker = 0; // of the region
    unsigned member = 0; // the number of the worker in the layer
    Value flags;
    int64_t line = 0; // flag of the first worker of the layer
    IRMapping values = {};
    Value base = {}; // of the counts of an iteration; null in the function
  };

  MemRefType flagsType() {
    int64_t lines = llvm::alignTo(flagsCount, task::kFlagElems);
    return MemRefType::get({lines}, builder.getI32Type());
  }

  /// Assigns flags and words after the flags of the workers to works that several workers execute:
  /// first the flags of rounds and loops, which begin at a cache line, then the words of shares.
  void placeWords() {
    flagsCount = static_cast<int64_t>(layer.schedule.workers.size()) * task::kFlagElems;
    placeWords(layer, /*ofFlags=*/true);
    placeWords(layer, /*ofFlags=*/false);
  }

  void placeWords(Layer &of, bool ofFlags) {
    of.words.resize(of.works.size());
    for (const std::vector<Step> &list : of.schedule.workers) {
      for (const Step &step : list) {
        const Piece &piece = step.piece;
        const Work &work = of.works[piece.work];
        bool hasFlags = work.rounds > 1 || work.loop;
        if (piece.parts > 1 && piece.part == 0 && hasFlags == ofFlags) {
          of.words[piece.work] = flagsCount;
          flagsCount += piece.parts * (ofFlags ? task::kFlagElems : task::kWordElems);
        }
      }
    }
    for (auto &[work, body] : of.loops) {
      placeWords(body, ofFlags);
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
    int64_t workers = static_cast<int64_t>(layer.schedule.workers.size());
    int64_t bytes = scratchOffset + scratchBytes * workers;
    arena.setType(MemRefType::get({bytes}, builder.getI8Type()));
    SmallVector<Type> arguments(main.getBody().getArgumentTypes());
    main.setFunctionType(builder.getFunctionType(arguments, main.getResultTypes()));
    memory::setArenaBytes(module, bytes);
    module->setAttr(task::kThreadsAttr, builder.getI64IntegerAttr(workers));
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
    Place place{layer, function, worker, worker, createFlags(main.getLoc(), function)};
    place.values.map(main.getArguments(), function.getArguments());
    if (worker == 0) {
      builder.create<task::PostOp>(main.getLoc(), place.flags, worker, 1);
    }
    writeSteps(place);
    if (worker == 0) {
      for (const Wait &wait : layer.schedule.last) {
        builder.create<task::WaitOp>(main.getLoc(), place.flags, wait.worker, wait.count);
      }
    }
    builder.create<func::ReturnOp>(main.getLoc());
    return function;
  }

  /// Writes the list of a worker in a layer.
  void writeSteps(Place &place) {
    StringRef state;
    for (auto [index, step] : llvm::enumerate(place.layer.schedule.workers[place.member])) {
      Location loc = place.layer.works[step.piece.work].op->getLoc();
      if (!place.base && !states.empty() && states[step.piece.work] != state) {
        state = states[step.piece.work];
        builder.create<task::PowerOp>(loc, place.worker, state);
      }
      auto post = [&, count = countAfter(place.member, index), at = loc] {
        createPost(at, place, count);
      };
      writeWaits(loc, step.waits, place, place.values);
      {
        OpBuilder::InsertionGuard guard(builder);
        writePiece(step, place);
        if (step.isPosted && !step.isAlwaysPosted) {
          post();
        }
      }
      if (step.isAlwaysPosted) {
        post();
      }
    }
  }

  /// Writes waits, each inside its guards.
  void writeWaits(Location loc, ArrayRef<Wait> waits, const Place &place, const IRMapping &values) {
    for (const Wait &wait : waits) {
      OpBuilder::InsertionGuard inside(builder);
      IRMapping mapping = values;
      for (const Guard &guard : wait.guards) {
        enter(guard, mapping);
      }
      createWait(loc, place, wait.worker, wait.count);
    }
  }

  /// Waits for another worker of the layer.
  void createWait(Location loc, const Place &place, unsigned member, int64_t count) {
    if (place.base) {
      builder.create<task::TeamWaitOp>(loc, place.flags, place.line + member, count, place.base);
    } else {
      builder.create<task::WaitOp>(loc, place.flags, member, count);
    }
  }

  void createPost(Location loc, const Place &place, int64_t count) {
    if (place.base) {
      builder.create<task::TeamPostOp>(loc, place.flags, place.line + place.member, count,
                                       place.base);
    } else {
      builder.create<task::PostOp>(loc, place.flags, place.member, count);
    }
  }

  /// Writes a copy of the work, as a share, as rounds or as a loop if other workers have parts of
  /// it. Addresses are recomputed for each piece, so that they are not live across the whole list.
  /// The builder continues after the copy, inside the guards of the work.
  void writePiece(const Step &step, Place &place) {
    const Piece &piece = step.piece;
    const Work &work = place.layer.works[piece.work];
    Operation *op = work.op;
    IRMapping mapping = place.values;
    for (const Guard &around : work.guards) {
      enter(around, mapping);
    }
    writeWaits(op->getLoc(), step.innerWaits, place, mapping);
    OpBuilder::InsertionGuard guard(builder);
    if (work.loop && piece.parts > 1) {
      writeLoop(piece, place, mapping);
      return;
    }
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used) {
      cloneValue(value, mapping, builder);
    }
    Operation *copy = builder.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
      place.values.map(from, to);
    }
    copy->walk([&](task::CallOp call) { moveScratch(call, place.worker, place.function); });
    if (const std::optional<Band> &band = work.band) {
      auto call = cast<task::CallOp>(copy);
      narrowToBand(call, *band, *kernels.of(call).rows);
    }
    if (piece.parts > 1) {
      share(cast<task::CallOp>(copy), piece, place);
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
  Region &createShared(Location loc, const Piece &piece, const Place &place) {
    const Work &work = place.layer.works[piece.work];
    int64_t word = place.layer.words[piece.work];
    if (work.rounds > 1) {
      return builder
          .create<task::RoundsOp>(loc, place.flags, word, piece.part, piece.parts,
                                  work.range / work.rounds, work.rounds)
          .getBody();
    }
    return builder
        .create<task::ShareOp>(loc, place.flags, word, piece.part, piece.parts, work.range,
                               leastSteps(work))
        .getBody();
  }

  /// Moves a call into a share or into rounds; the call then covers the steps of the worker.
  void share(task::CallOp call, const Piece &piece, const Place &place) {
    builder.setInsertionPoint(call);
    Block &body = createShared(call.getLoc(), piece, place).emplaceBlock();
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
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(call);
    auto type = cast<MemRefType>(call.getOperand(*scratch).getType());
    Value offset = builder.create<arith::ConstantIndexOp>(call.getLoc(),
                                                          scratchOffset + worker * scratchBytes);
    call.setOperand(*scratch, builder.create<memref::ViewOp>(call.getLoc(), type,
                                                             function.getArgument(arenaArgument()),
                                                             offset, ValueRange()));
  }

  /// Writes the worker's part of a loop. The workers begin the first iteration together.
  void writeLoop(const Piece &piece, Place &around, IRMapping mapping) {
    const Work &work = around.layer.works[piece.work];
    const Layer &body = around.layer.loops.at(piece.work);
    Location loc = work.op->getLoc();
    Place place{body, around.function, around.worker, piece.part, around.flags};
    place.line = around.layer.words[piece.work] / task::kFlagElems;
    int64_t own = (place.line + place.member) * task::kFlagElems;
    Value element = builder.create<arith::ConstantIndexOp>(loc, own);
    place.base = builder.create<memref::LoadOp>(loc, place.flags, ValueRange{element});
    llvm::SetVector<Value> used(work.op->operand_begin(), work.op->operand_end());
    if (auto repeat = dyn_cast<scf::WhileOp>(work.op)) {
      getUsedValuesDefinedAbove(repeat.getBefore(), used);
    }
    for (Value value : used) {
      cloneValue(value, mapping, builder);
    }
    if (work.loop->overwritesStart) {
      meet(loc, place, 1);
      place.base = addTo(place.base, 1);
    }
    Operation *loop = isa<scf::WhileOp>(work.op)
                          ? openWhile(cast<scf::WhileOp>(work.op), mapping, place)
                          : openFor(cast<scf::ForOp>(work.op), mapping, place);
    int64_t steps = writeIteration(loop, *work.loop, work.op, place);
    task::Team{place.line, piece.part, piece.parts, steps}.setOn(loop);
  }

  Value addTo(Value count, int64_t more) {
    Location loc = count.getLoc();
    Value constant = builder.create<arith::ConstantIntOp>(loc, more, 32);
    return builder.create<arith::AddIOp>(loc, count, constant);
  }

  /// Posts a count and waits until all other workers of the loop have posted it.
  void meet(Location loc, const Place &place, int64_t count) {
    createPost(loc, place, count);
    for (unsigned other = 0; other < place.layer.schedule.workers.size(); ++other) {
      if (other != place.member) {
        createWait(loc, place, other, count);
      }
    }
  }

  /// Creates a loop with the same condition that also carries the base. Sets the base and the
  /// values of the place for the body, where the builder continues.
  Operation *openWhile(scf::WhileOp loop, IRMapping &mapping, Place &place) {
    Location loc = loop.getLoc();
    SmallVector<Value> starts;
    for (Value init : loop.getInits()) {
      starts.push_back(mapping.lookup(init));
    }
    starts.push_back(place.base);
    SmallVector<Type> types(loop.getResultTypes());
    types.push_back(place.base.getType());
    auto copy = builder.create<scf::WhileOp>(loc, types, starts);
    auto createBlock = [&](Region &region, ValueRange arguments, IRMapping &to) {
      SmallVector<Type> all(arguments.getTypes());
      all.push_back(place.base.getType());
      Block *block = builder.createBlock(&region, {}, all, SmallVector<Location>(all.size(), loc));
      to.map(arguments, block->getArguments().drop_back());
      return block;
    };
    Block *before = createBlock(copy.getBefore(), loop.getBeforeArguments(), mapping);
    for (Operation &op : loop.getBeforeBody()->without_terminator()) {
      builder.clone(op, mapping);
    }
    SmallVector<Value> forwarded;
    for (Value value : loop.getConditionOp().getArgs()) {
      forwarded.push_back(cloneValue(value, mapping, builder));
    }
    forwarded.push_back(before->getArguments().back());
    Value condition = cloneValue(loop.getConditionOp().getCondition(), mapping, builder);
    builder.create<scf::ConditionOp>(loc, condition, forwarded);
    place.values = mapping;
    Block *after = createBlock(copy.getAfter(), loop.getAfterArguments(), place.values);
    place.base = after->getArguments().back();
    return copy;
  }

  Operation *openFor(scf::ForOp loop, IRMapping &mapping, Place &place) {
    auto copy = builder.create<scf::ForOp>(loop.getLoc(), mapping.lookup(loop.getLowerBound()),
                                           mapping.lookup(loop.getUpperBound()),
                                           mapping.lookup(loop.getStep()), ValueRange{place.base});
    builder.setInsertionPointToStart(copy.getBody());
    place.values = mapping;
    place.values.map(loop.getInductionVar(), copy.getInductionVar());
    place.base = copy.getRegionIterArgs().front();
    return copy;
  }

  /// Writes an iteration. Returns by how much it increases the base.
  int64_t writeIteration(Operation *loop, const LoopBody &body, Operation *old, Place &place) {
    Location loc = loop->getLoc();
    writeSteps(place);
    int64_t steps = countAfterAll(place.layer.schedule);
    meet(loc, place, steps);
    IRMapping mapping = place.values;
    SmallVector<Value> next;
    for (Value value : bodyOf(old).getTerminator()->getOperands()) {
      next.push_back(cloneValue(value, mapping, builder));
    }
    if (body.overwritesNext) {
      meet(loc, place, ++steps);
    }
    for (const Step &step : place.layer.schedule.workers[place.member]) {
      const Piece &piece = step.piece;
      if (piece.parts > 1 && !place.layer.works[piece.work].loop) {
        int64_t word = place.layer.words[piece.work] + piece.part * task::kWordElems;
        builder.create<task::TeamRenewOp>(loc, place.flags, word);
      }
    }
    next.push_back(addTo(place.base, steps));
    builder.create<scf::YieldOp>(loc, next);
    return steps;
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
  Layer &layer;
  ArrayRef<std::string> states;
  KernelTable &kernels;
  OpBuilder builder;
  Operation *lastFunction = main; // workers follow in order
  int64_t flagsCount = 0;         // elements of flags and words
  int64_t flagsOffset = 0;
  int64_t scratchOffset = 0;
  int64_t scratchBytes = 0; // per worker
};

/// Schedules the body of a loop for a number of workers.
Layer planBody(const LoopBody &body, unsigned workers, int64_t grainNs, Scheduler scheduler) {
  MacroGraph graph = buildMacroGraph(body.works, workers, grainNs);
  ScheduleCandidate plain = candidateOf(assignPieces(body.works, workers, grainNs));
  plain.name = nameOf(Scheduler::ProgramOrder);
  predict(graph, plain);
  ScheduleCandidate chosen = chooseSchedule(graph, plain, scheduler);
  return planLayer(body.works, chosen.order, workers, grainNs, scheduler, /*isBody=*/true);
}

} // namespace

Layer planLayer(ArrayRef<Work> works, ArrayRef<Placement> order, unsigned workers, int64_t grainNs,
                Scheduler scheduler, bool isBody) {
  std::vector<Piece> pieces = piecesOf(order);
  Layer layer{works, insertWaits(works, pieces, workers, isBody), {}};
  for (const Placement &placement : order) {
    const Work &work = works[placement.task];
    unsigned size = placement.group.size();
    if (work.loop && size > 1) {
      layer.loops.emplace(placement.task, planBody(*work.loop, size, grainNs, scheduler));
    }
  }
  return layer;
}

void writeRegion(func::FuncOp main, Layer &layer, ArrayRef<std::string> states,
                 KernelTable &kernels) {
  RegionWriter(main, layer, states, kernels).write();
}

} // namespace convoy::schedule
