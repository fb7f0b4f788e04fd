// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk in program order numbers the ops and determines the first and the last use of each
// value. A value that is defined outside a loop and read inside it is live until the end of
// the loop, because the next iteration reads it again:
//
//     %a = ...            step 1   alive 1..5
//     loop {              step 2
//       read %a           step 3
//     }                   step 5

#include "Memory/Storage.h"
#include "Graph/Graph.h"
#include "Graph/View.h"
#include "Kernels/Passes.h"
#include "Memory/Passes.h"
#include "Memory/Planner/Planner.h"
#include "Task/RowSteps.h"
#include "Task/Task.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::memory {

static int64_t bytesOf(Type tensor) {
  MemRefType memory = kernels::memoryType(tensor);
  return memory.getNumElements() * ((memory.getElementTypeBitWidth() + 7) / 8);
}

StorageMap::StorageMap(func::FuncOp main, bool reuse) : reuse(reuse) {
  mlir::Block &body = main.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    Storage storage;
    storage.kind = Storage::Kind::Input;
    storage.index = argument.getArgNumber();
    place(argument, storage);
  }
  for (OpOperand &operand : body.getTerminator()->getOpOperands()) {
    results.try_emplace(operand.get(), operand.getOperandNumber());
  }
  findParts(body);
  visitBlock(body);
  keepGroupsApart();
  plan();
}

void StorageMap::findParts(mlir::Block &block) {
  for (auto concat : block.getOps<graph::ConcatOp>()) {
    int64_t offset = 0;
    for (Value input : concat.getInputs()) {
      parts[graph::viewedTensor(input)] = {concat.getResult(), offset};
      offset += bytesOf(input.getType());
    }
  }
}

size_t StorageMap::place(Value value, Storage storage) {
  storage.bytes = bytesOf(value.getType());
  if (auto part = parts.find(value); part != parts.end()) {
    storage.whole = placeWhole(part->second.first);
    storage.offset = part->second.second;
  }
  ids[value] = storages.size();
  storages.push_back(storage);
  return storages.size() - 1;
}

/// Creates the storage of a concatenation. It is live from the first write of one of its
/// parts.
size_t StorageMap::placeWhole(Value concat) {
  auto it = ids.find(concat);
  if (it != ids.end()) {
    return it->second;
  }
  Storage storage;
  storage.first = storage.last = step;
  return place(concat, storage);
}

void StorageMap::share(Value value, Value with) { ids[value] = ids.lookup(with); }

void StorageMap::use(Value value, int64_t at) {
  auto it = ids.find(value);
  if (it != ids.end()) {
    std::optional<size_t> id = it->second;
    for (; id; id = storages[*id].whole) {
      storages[*id].last = std::max(storages[*id].last, at);
    }
  }
}

void StorageMap::placeWeights(Operation *op) {
  auto constant = cast<graph::ConstantOp>(op);
  auto [it, isNew] = weightOf.try_emplace(constant.getValueAttr(), weightBytes);
  if (isNew) {
    offsets.push_back(weightBytes);
    weightBytes += static_cast<int64_t>(llvm::alignTo(bytesOf(constant.getType()), kAlignment));
  }
  Storage storage;
  storage.kind = Storage::Kind::Weights;
  storage.offset = it->second;
  place(constant.getResult(), storage);
}

/// Returns whether an op that runs reads the constant: a view, a task or control flow. The
/// shape operand of a reshape does not count.
static bool isRead(Operation *constant) {
  return llvm::any_of(constant->getUses(), [](OpOperand &use) {
    return !(isa<graph::ReshapeOp>(use.getOwner()) && use.getOperandNumber() == 1);
  });
}

/// Places carried values in the storage of the loop's results, so that the last iteration
/// leaves them there. Slices of a scan are copied from the whole tensor.
void StorageMap::placeArguments(Operation *op, Region &region, int64_t begin) {
  for (BlockArgument argument : region.getArguments()) {
    int64_t number = argument.getArgNumber();
    auto scan = dyn_cast<graph::ScanOp>(op);
    int64_t firstCarried = isa<graph::LoopOp>(op) ? 2 : 0;
    int64_t carried = scan ? scan.getStates().size() : op->getNumResults();
    bool isSlice = scan && number >= carried;
    if (number >= firstCarried && !isSlice) {
      share(argument, op->getResult(number - firstCarried));
      continue;
    }
    Storage storage;
    storage.first = begin;
    place(argument, storage);
  }
}

static func::FuncOp kernelOf(Operation *op) {
  auto run = dyn_cast<task::RunOp>(op);
  return run ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(run, run.getKernelAttr())
             : func::FuncOp();
}

/// Returns whether the run is the last use of a tensor that has no alias.
static bool isLastUse(Operation *run, Value tensor) {
  return tensor.getDefiningOp<task::RunOp>() && llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
           Operation *user = use.getOwner();
           return isa<task::RunOp>(user) && user->getBlock() == run->getBlock() &&
                  (user == run || user->isBeforeInBlock(run));
         });
}

/// Returns the operand whose storage the result of a run may take, or null.
Value StorageMap::operandInPlace(Operation *op) const {
  func::FuncOp kernel = kernelOf(op);
  auto inPlace =
      kernel ? kernel->getAttrOfType<DenseI64ArrayAttr>(task::kInPlaceAttr) : DenseI64ArrayAttr();
  if (!inPlace || parts.contains(op->getResult(0))) {
    return {};
  }
  for (int64_t number : inPlace.asArrayRef().drop_back()) {
    Value operand = op->getOperand(number);
    const Storage &storage = of(operand);
    bool isAlone = llvm::count(op->getOperands(), operand) == 1;
    if (storage.kind == Storage::Kind::Arena && !storage.whole && isAlone &&
        isLastUse(op, operand)) {
      return operand;
    }
  }
  return {};
}

void StorageMap::noteGroup(Operation *op, int64_t at) {
  if (std::optional<task::Bands> bands = task::Bands::of(op)) {
    auto [it, isNew] = groups.try_emplace(bands->group, at, at);
    it->second.second = at;
  }
}

/// Extends live ranges to whole groups. The runs of a group execute band by band, so each
/// tensor of the group is live from the first step of the group to the last. Scratch memory is
/// live only during a call.
void StorageMap::keepGroupsApart() {
  std::vector<bool> isScratch(storages.size(), false);
  for (const auto &[op, id] : scratchIds) {
    isScratch[id] = true;
  }
  for (const auto &[group, steps] : groups) {
    auto [first, last] = steps;
    for (auto [id, storage] : llvm::enumerate(storages)) {
      if (!isScratch[id]) {
        storage.first = storage.first > first && storage.first <= last ? first : storage.first;
        storage.last = storage.last >= first && storage.last < last ? last : storage.last;
      }
    }
  }
}

/// Places the scratch memory of a run, which is live only during the run.
void StorageMap::placeScratch(Operation *op, int64_t at) {
  func::FuncOp kernel = kernelOf(op);
  auto bytes = kernel ? kernel->getAttrOfType<IntegerAttr>(task::kScratchAttr) : IntegerAttr();
  if (bytes) {
    Storage storage;
    storage.first = storage.last = at;
    storage.bytes = bytes.getInt();
    scratchIds[op] = storages.size();
    storages.push_back(storage);
  }
}

void StorageMap::visitOp(Operation *op) {
  int64_t begin = ++step;
  for (Value operand : op->getOperands()) {
    use(operand, begin);
  }
  if (isa<graph::ConstantOp>(op)) {
    if (isRead(op)) {
      placeWeights(op);
    }
    return;
  }
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
    share(reshape.getResult(), reshape.getInput());
    return;
  }
  if (auto reorder = dyn_cast<graph::ReorderOp>(op)) {
    share(reorder.getResult(), reorder.getInput()); // outside a kernel: the same bytes
    return;
  }
  if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
    use(concat.getResult(), begin); // outside a kernel: the parts are already in place
    return;
  }
  noteGroup(op, begin);
  placeScratch(op, begin);
  for (Value result : op->getResults()) {
    Storage storage;
    storage.first = begin;
    storage.last = begin;
    auto output = results.find(result);
    bool isTop = isa<func::FuncOp>(op->getParentOp());
    if (isTop && output != results.end()) {
      storage.kind = Storage::Kind::Output;
      storage.index = output->second;
    }
    Value operand = reuse && storage.kind == Storage::Kind::Arena ? operandInPlace(op) : Value();
    if (operand) {
      share(result, operand);
    } else {
      place(result, storage);
    }
  }
  for (Region &region : op->getRegions()) {
    placeArguments(op, region, begin);
    visitBlock(region.front());
  }
  if (op->getNumRegions() == 0) {
    return;
  }
  // All values read inside, and all values that the op itself holds, are live until its end.
  int64_t end = ++step;
  for (Value operand : op->getOperands()) {
    use(operand, end);
  }
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      if (operand.getParentRegion()->isProperAncestor(inner->getParentRegion())) {
        use(operand, end);
      }
    }
  });
  for (Region &region : op->getRegions()) {
    for (BlockArgument argument : region.getArguments()) {
      use(argument, end);
    }
  }
  for (Value result : op->getResults()) {
    use(result, end);
  }
}

void StorageMap::visitBlock(mlir::Block &block) {
  for (Operation &op : block) {
    visitOp(&op);
  }
}

void StorageMap::plan() {
  std::vector<memory::Block> blocks;
  std::vector<size_t> owners;
  for (auto [i, storage] : llvm::enumerate(storages)) {
    if (storage.kind == Storage::Kind::Arena && !storage.whole) {
      blocks.push_back({std::max<int64_t>(storage.bytes, 1), reuse ? storage.first : 0,
                        reuse ? storage.last : INT64_MAX});
      owners.push_back(i);
    }
  }
  // The status cell is at the start of the arena.
  plannedBytes = kAlignment + planMemory(blocks, kAlignment);
  for (auto [i, owner] : llvm::enumerate(owners)) {
    storages[owner].offset = kAlignment + blocks[i].offset;
  }
  // A whole precedes its parts in `storages`, so its offset is already final.
  for (Storage &storage : storages) {
    storage.offset += storage.whole ? storages[*storage.whole].offset : 0;
  }
}

ArrayAttr StorageMap::weights(MLIRContext *context) const {
  SmallVector<Attribute> values;
  for (const auto &[value, offset] : weightOf) {
    values.push_back(value);
  }
  return ArrayAttr::get(context, values);
}

} // namespace convoy::memory
