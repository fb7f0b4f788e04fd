// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the new @main: a call per task, and copies where control flow passes values. A branch
// that cannot run stores its return code in the status cell, and @main returns the content of
// this cell.

#include "Memory/LowerMain.h"
#include "Graph/Attributes.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Kernels/Passes.h"
#include "Memory/Attributes.h"
#include "Memory/Passes.h"
#include "Support/TypedDiagnostic.h"
#include "Task/Probe.h"
#include "Task/RowSteps.h"
#include "Task/Team.h"
#include "convoy/convoy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace convoy::memory {
namespace {

// A greater trip count means that only the condition ends the loop.
constexpr int64_t kMostIterations = 1 << 20;

class MainLowering {
public:
  MainLowering(func::FuncOp main, const StorageMap &storages)
      : main(main), storages(storages), b(main.getLoc(), main.getContext()) {}

  LogicalResult run();

private:
  void declare();
  void setArgument(unsigned i, Role role, Attribute name, Type logical);
  void setQuantization(unsigned i, Attribute quantization);
  void setOffset(unsigned i, const Storage *storage);
  LogicalResult lowerBlock(mlir::Block &block);
  LogicalResult lowerOp(Operation *op);
  void lowerTask(task::RunOp run);
  void setRows(task::RunOp run, task::CallOp call, task::KernelOp kernel);
  LogicalResult lowerIf(graph::IfOp op);
  LogicalResult lowerLoop(graph::LoopOp op);
  LogicalResult lowerScan(graph::ScanOp op);
  LogicalResult lowerBranch(graph::IfOp op, Region &region);
  void returnResults(Operation *terminator);
  void carry(ValueRange next, ValueRange targets);
  void exchange(ArrayRef<std::pair<Value, Value>> moves, int64_t count);
  void copyElements(Value from, Value fromStart, Value to, Value toStart, int64_t count);
  void storeSlice(Value value, Value stacked, Value position);

  Value memory(Value tensor);
  Value arenaOf(const Storage &storage) {
    return lowered.getArgument(inputs + outputs + static_cast<unsigned>(storage.arena));
  }
  Value view(Value base, Value byteOffset, Type tensor);
  Value index(int64_t value) { return b.create<arith::ConstantIndexOp>(value); }
  Value status();
  Value loadScalar(Value tensor);
  void copy(Value from, Value to);

  func::FuncOp main;
  func::FuncOp lowered;
  const StorageMap &storages;
  ImplicitLocOpBuilder b;
  unsigned inputs = 0;
  unsigned outputs = 0;
};

void MainLowering::setArgument(unsigned i, Role role, Attribute name, Type logical) {
  setRole(lowered, i, role);
  if (name) {
    lowered.setArgAttr(i, graph::kNameAttr, name);
  }
  if (logical) {
    lowered.setArgAttr(i, graph::kTypeAttr, TypeAttr::get(logical));
  }
}

void MainLowering::setQuantization(unsigned i, Attribute quantization) {
  if (quantization) {
    lowered.setArgAttr(i, graph::kQuantizationAttr, quantization);
  }
}

/// Records the place of an input or output in the arena.
void MainLowering::setOffset(unsigned i, const Storage *storage) {
  if (storage && storage->kind == Storage::Kind::Arena) {
    lowered.setArgAttr(i, kOffsetAttr, b.getI64IntegerAttr(storage->offset));
    if (storage->arena > 0) {
      lowered.setArgAttr(i, kArenaAttr, b.getI64IntegerAttr(static_cast<int64_t>(storage->arena)));
    }
  }
}

void MainLowering::declare() {
  FunctionType type = main.getFunctionType();
  inputs = type.getNumInputs();
  outputs = type.getNumResults();
  SmallVector<Type> arguments;
  for (Type tensor : llvm::concat<const Type>(type.getInputs(), type.getResults())) {
    arguments.push_back(kernels::memoryType(tensor));
  }
  Type byte = b.getI8Type();
  for (const Arena &arena : storages.arenas()) {
    arguments.push_back(MemRefType::get({arena.bytes}, byte));
  }
  arguments.push_back(MemRefType::get({storages.weightsBytes()}, byte));
  b.setInsertionPoint(main);
  lowered = b.create<func::FuncOp>("main", b.getFunctionType(arguments, {b.getI32Type()}));
  for (unsigned i = 0; i < inputs; ++i) {
    setArgument(i, Role::Input, graph::argumentName(main, i), type.getInput(i));
    setQuantization(i, graph::argumentQuantization(main, i));
    setOffset(i, &storages.of(main.getArgument(i)));
    if (Attribute rows = main.getArgAttr(i, kInputRowsAttr)) {
      lowered.setArgAttr(i, kInputRowsAttr, rows);
    }
  }
  for (unsigned i = 0; i < outputs; ++i) {
    setArgument(inputs + i, Role::Output, graph::resultName(main, i), type.getResult(i));
    setQuantization(inputs + i, graph::resultQuantization(main, i));
    setOffset(inputs + i, storages.outputOf(i));
    for (StringRef name : {graph::kDimsAttr, graph::kExtentsAttr, graph::kLabelsAttr}) {
      if (Attribute value = main.getResultAttr(i, name)) {
        lowered.setArgAttr(inputs + i, name, value);
      }
    }
  }
  for (unsigned i = 0; i < storages.arenas().size(); ++i) {
    setArgument(inputs + outputs + i, Role::Arena, {}, {});
  }
  setArgument(lowered.getNumArguments() - 1, Role::Weights, {}, {});
  b.setInsertionPointToEnd(lowered.addEntryBlock());
}

Value MainLowering::view(Value base, Value byteOffset, Type tensor) {
  return b.create<memref::ViewOp>(kernels::memoryType(tensor), base, byteOffset, ValueRange());
}

Value MainLowering::memory(Value tensor) {
  const Storage &storage = storages.of(tensor);
  switch (storage.kind) {
  case Storage::Kind::Input:
    return lowered.getArgument(storage.index);
  case Storage::Kind::Output:
    return lowered.getArgument(inputs + storage.index);
  case Storage::Kind::Weights:
    return view(lowered.getArguments().back(), index(storage.offset), tensor.getType());
  case Storage::Kind::Arena:
    return view(arenaOf(storage), index(storage.offset), tensor.getType());
  }
  return {};
}

/// Returns the status cell of the run.
Value MainLowering::status() {
  return b.create<memref::ViewOp>(MemRefType::get({1}, b.getI32Type()),
                                  lowered.getArgument(inputs + outputs),
                                  index(StorageMap::kStatusOffset), ValueRange());
}

void MainLowering::copy(Value from, Value to) {
  if (from != to) {
    b.create<memref::CopyOp>(from, to);
  }
}

Value MainLowering::loadScalar(Value tensor) {
  return b.create<memref::LoadOp>(memory(tensor), ValueRange{index(0)});
}

void MainLowering::lowerTask(task::RunOp run) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<task::KernelOp>(main, run.getKernelAttr());
  SmallVector<Value> arguments;
  for (Value input : run.getInputs()) {
    arguments.push_back(memory(input));
  }
  for (Value result : run.getValues()) {
    arguments.push_back(memory(result));
  }
  if (kernel.getMayFail()) {
    arguments.push_back(status());
  }
  if (const Storage *scratch = storages.scratchOf(run)) {
    auto type = MemRefType::get({scratch->bytes}, b.getI8Type());
    arguments.push_back(
        b.create<memref::ViewOp>(type, arenaOf(*scratch), index(scratch->offset), ValueRange()));
  }
  arguments.push_back(index(0));
  arguments.push_back(index(*kernel.getRange()));
  auto call = b.create<task::CallOp>(kernel, arguments);
  call.setBandsAttr(run.getBandsAttr());
  if (Attribute probe = run->getAttr(task::kProbeAttr)) {
    call->setAttr(task::kProbeAttr, probe);
  }
  setRows(run, call, kernel);
}

/// Records the rings of a call, and when it computes its rows. A call that computes all rows at
/// once may pass arguments that share bytes.
void MainLowering::setRows(task::RunOp run, task::CallOp call, task::KernelOp kernel) {
  SmallVector<Value> tensors(run.getInputs());
  llvm::append_range(tensors, run.getValues());
  SmallVector<int64_t> rings(call.getNumOperands(), 0);
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    rings[i] = storages.of(tensor).ringRows;
  }
  if (llvm::any_of(rings, [](int64_t rows) { return rows > 0; })) {
    call.setRings(rings);
  }
  if (std::optional<task::Pace> pace = storages.paceOf(run)) {
    call.setPaceAttr(pace->toAttr(b.getContext()));
    return;
  }
  llvm::SetVector<int64_t> overlapping;
  if (std::optional<ArrayRef<int64_t>> known = kernel.getOverlaps()) {
    overlapping.insert(known->begin(), known->end());
  }
  for (auto [i, tensor] : llvm::enumerate(run.getInputs())) {
    for (auto [result, value] : llvm::enumerate(run.getValues())) {
      if (storages.of(tensor).sharesBytes(storages.of(value))) {
        overlapping.insert(static_cast<int64_t>(i));
        overlapping.insert(static_cast<int64_t>(run.getInputs().size() + result));
      }
    }
  }
  if (!overlapping.empty() && !kernel.getInPlace()) {
    SmallVector<int64_t> sorted = overlapping.takeVector();
    llvm::sort(sorted);
    kernel.setOverlaps(sorted);
  }
}

LogicalResult MainLowering::lowerBranch(graph::IfOp op, Region &region) {
  if (failed(lowerBlock(region.front()))) {
    return failure();
  }
  Operation *yield = region.front().getTerminator();
  for (auto [value, result] : llvm::zip(yield->getOperands(), op.getResults())) {
    if (!value.getDefiningOp<graph::FailOp>()) {
      copy(memory(value), memory(result));
    }
  }
  return success();
}

LogicalResult MainLowering::lowerIf(graph::IfOp op) {
  Value flag = loadScalar(op.getCondition());
  Value zero = b.create<arith::ConstantIntOp>(0, 8);
  Value condition = b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, flag, zero);
  auto branch = b.create<scf::IfOp>(condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  if (failed(lowerBranch(op, op.getThenBranch()))) {
    return failure();
  }
  b.setInsertionPoint(branch.elseYield());
  return lowerBranch(op, op.getElseBranch());
}

/// Copies the values that an iteration yields to the storage that the next iteration reads. If
/// such a value is itself a carried value in a different storage, a plain copy would overwrite
/// it. These values are exchanged element by element.
void MainLowering::carry(ValueRange next, ValueRange targets) {
  auto place = [&](Value value) { return &storages.of(value); };
  auto isAmong = [&](Value value, ValueRange values) {
    return llvm::any_of(values, [&](Value other) { return place(other) == place(value); });
  };
  // Source and target of a move have the same size, so values of one exchange have one size.
  llvm::MapVector<int64_t, SmallVector<std::pair<Value, Value>>> exchanges;
  for (auto [value, target] : llvm::zip(next, targets)) {
    if (place(value) == place(target)) {
      continue;
    }
    if (isAmong(value, targets) || isAmong(target, next)) {
      int64_t count = kernels::memoryType(value.getType()).getNumElements();
      exchanges[count].push_back({memory(value), memory(target)});
    } else {
      copy(memory(value), memory(target));
    }
  }
  for (const auto &[count, moves] : exchanges) {
    exchange(moves, count);
  }
}

/// Moves `count` elements of all pairs together: reads all elements at an index before it
/// writes any.
void MainLowering::exchange(ArrayRef<std::pair<Value, Value>> moves, int64_t count) {
  auto loop = b.create<scf::ForOp>(index(0), index(count), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ValueRange at = loop.getBody()->getArguments();
  SmallVector<Value> elements;
  for (auto [from, to] : moves) {
    elements.push_back(b.create<memref::LoadOp>(from, at));
  }
  for (auto [element, move] : llvm::zip(elements, moves)) {
    b.create<memref::StoreOp>(element, move.second, at);
  }
}

/// Copies `count` elements between two flat memories, from the given starts.
void MainLowering::copyElements(Value from, Value fromStart, Value to, Value toStart,
                                int64_t count) {
  auto loop = b.create<scf::ForOp>(index(0), index(count), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value source = b.create<arith::AddIOp>(fromStart, i);
  Value target = b.create<arith::AddIOp>(toStart, i);
  Value element = b.create<memref::LoadOp>(from, ValueRange{source});
  b.create<memref::StoreOp>(element, to, ValueRange{target});
}

/// Stores the value of one iteration at its position in the stacked result.
void MainLowering::storeSlice(Value value, Value stacked, Value position) {
  int64_t count = kernels::memoryType(value.getType()).getNumElements();
  Value start = b.create<arith::MulIOp>(position, index(count));
  copyElements(memory(value), index(0), memory(stacked), start, count);
}

LogicalResult MainLowering::lowerLoop(graph::LoopOp op) {
  mlir::Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  unsigned carried = op.getCarried().size();
  ValueRange next = yield->getOperands().slice(1, carried);
  for (auto [value, result] : llvm::zip(op.getCarried(), op.getResults())) {
    copy(memory(value), memory(result));
  }
  Value one = b.create<arith::ConstantIntOp>(1, 8);
  Value first = op.getCondition() ? loadScalar(op.getCondition()) : one;
  Value limit = op.getTripCount() ? loadScalar(op.getTripCount())
                                  : b.create<arith::ConstantIntOp>(INT64_MAX, 64).getResult();
  Value start = b.create<arith::ConstantIntOp>(0, 64);
  auto loop =
      b.create<scf::WhileOp>(TypeRange{b.getI64Type(), b.getI8Type()}, ValueRange{start, first});
  std::optional<Tensor> trips =
      op.getTripCount() ? graph::constantValue(op.getTripCount()) : std::nullopt;
  if (trips && trips->size() == 1 && trips->asInt(0) <= kMostIterations) {
    loop->setAttr(task::kIterationsAttr,
                  b.getI64IntegerAttr(std::max<int64_t>(0, trips->asInt(0))));
  }
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locs(2, b.getLoc());
  mlir::Block *before = b.createBlock(&loop.getBefore(), {}, loop.getResultTypes(), locs);
  Value isBelow = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, before->getArgument(0), limit);
  Value zero = b.create<arith::ConstantIntOp>(0, 8);
  Value isOn = b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, before->getArgument(1), zero);
  b.create<scf::ConditionOp>(b.create<arith::AndIOp>(isBelow, isOn), before->getArguments());
  mlir::Block *after = b.createBlock(&loop.getAfter(), {}, loop.getResultTypes(), locs);
  Value i = after->getArgument(0);
  b.create<memref::StoreOp>(i, memory(body.getArgument(0)), ValueRange{index(0)});
  b.create<memref::StoreOp>(after->getArgument(1), memory(body.getArgument(1)),
                            ValueRange{index(0)});
  if (failed(lowerBlock(body))) {
    return failure();
  }
  Value position = b.create<arith::IndexCastOp>(b.getIndexType(), i);
  for (unsigned s = carried; s < op.getNumResults(); ++s) {
    storeSlice(yield->getOperand(s + 1), op.getResult(s), position);
  }
  Value goesOn = loadScalar(yield->getOperand(0));
  carry(next, op.getResults().take_front(carried));
  Value step = b.create<arith::ConstantIntOp>(1, 64);
  b.create<scf::YieldOp>(ValueRange{b.create<arith::AddIOp>(i, step), goesOn});
  return success();
}

LogicalResult MainLowering::lowerScan(graph::ScanOp op) {
  mlir::Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  unsigned states = op.getStates().size();
  bool isAlongFirst = llvm::all_of(op.getInputAxes(), [](int64_t a) { return a == 0; }) &&
                      llvm::all_of(op.getOutputAxes(), [](int64_t a) { return a == 0; });
  if (!isAlongFirst) {
    return emitUnsupported(op,
                           "not supported on the CPU: scans along an axis other than the first");
  }
  ValueRange next = yield->getOperands().take_front(states);
  for (auto [value, result] : llvm::zip(op.getStates(), op.getResults())) {
    copy(memory(value), memory(result));
  }
  int64_t steps = cast<RankedTensorType>(op.getScanned()[0].getType()).getDimSize(0);
  auto loop = b.create<scf::ForOp>(index(0), index(steps), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value mirrored = b.create<arith::SubIOp>(index(steps - 1), i);
  for (auto [s, whole] : llvm::enumerate(op.getScanned())) {
    BlockArgument argument = body.getArgument(states + s);
    int64_t count = kernels::memoryType(argument.getType()).getNumElements();
    Value start = b.create<arith::MulIOp>(op.getInputReverse()[s] ? mirrored : i, index(count));
    copyElements(memory(whole), start, memory(argument), index(0), count);
  }
  if (failed(lowerBlock(body))) {
    return failure();
  }
  for (unsigned s = states; s < op.getNumResults(); ++s) {
    Value position = op.getOutputReverse()[s - states] ? mirrored : i;
    storeSlice(yield->getOperand(s), op.getResult(s), position);
  }
  carry(next, op.getResults().take_front(states));
  return success();
}

LogicalResult MainLowering::lowerOp(Operation *op) {
  b.setLoc(op->getLoc());
  if (isa<graph::ConstantOp, graph::YieldOp, func::ReturnOp>(op) || graph::namesStorage(op)) {
    return success();
  }
  if (auto run = dyn_cast<task::RunOp>(op)) {
    lowerTask(run);
    return success();
  }
  if (isa<graph::FailOp>(op)) {
    Value code = b.create<arith::ConstantIntOp>(CONVOY_ERROR_FAILED_BRANCH, 32);
    b.create<memref::StoreOp>(code, status(), ValueRange{index(0)});
    return success();
  }
  if (auto branch = dyn_cast<graph::IfOp>(op)) {
    return lowerIf(branch);
  }
  if (auto loop = dyn_cast<graph::LoopOp>(op)) {
    return lowerLoop(loop);
  }
  if (auto scan = dyn_cast<graph::ScanOp>(op)) {
    return lowerScan(scan);
  }
  return op->emitOpError("cannot be lowered to memory; an earlier stage must lower it");
}

LogicalResult MainLowering::lowerBlock(mlir::Block &block) {
  for (Operation &op : block) {
    if (failed(lowerOp(&op))) {
      return failure();
    }
  }
  return success();
}

/// Copies returned values that are not in their output (an input, a weight, a view, a value
/// returned twice) to the output.
void MainLowering::returnResults(Operation *terminator) {
  for (OpOperand &operand : terminator->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    const Storage *storage = storages.outputOf(number);
    if (!storage) {
      copy(memory(operand.get()), lowered.getArgument(inputs + number));
    } else if (storage != &storages.of(operand.get())) {
      copy(memory(operand.get()),
           view(arenaOf(*storage), index(storage->offset), operand.get().getType()));
    }
  }
}

LogicalResult MainLowering::run() {
  declare();
  mlir::Block &body = main.getBody().front();
  Value cell = status();
  Value ok = b.create<arith::ConstantIntOp>(CONVOY_OK, 32);
  b.create<memref::StoreOp>(ok, cell, ValueRange{index(0)});
  if (failed(lowerBlock(body))) {
    return failure();
  }
  b.setLoc(main.getLoc());
  returnResults(body.getTerminator());
  b.create<func::ReturnOp>(b.create<memref::LoadOp>(cell, ValueRange{index(0)}).getResult());
  main.erase();
  return success();
}

} // namespace

LogicalResult lowerMain(func::FuncOp main, const StorageMap &storages) {
  return MainLowering(main, storages).run();
}

} // namespace convoy::memory
