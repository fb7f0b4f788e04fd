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

StorageMap::StorageMap(func::FuncOp main, const MemoryOptions &options, const RowKernels *kernels)
    : options(options) {
  mlir::Block &body = main.getBody().front();
  placeInputs(main);
  for (OpOperand &operand : body.getTerminator()->getOpOperands()) {
    if (!main.getResultAttr(operand.getOperandNumber(), task::kInArenaAttr)) {
      results.try_emplace(operand.get(), operand.getOperandNumber());
    }
  }
  findParts(body);
  visitBlock(body);
  placeOutputs(main);
  if (kernels) {
    scheduleRowGroups(*kernels);
  }
  keepGroupsApart();
}

/// Places the arguments of main. An input in the arena is live from step 0.
void StorageMap::placeInputs(func::FuncOp main) {
  for (BlockArgument argument : main.getArguments()) {
    Storage storage;
    unsigned number = argument.getArgNumber();
    bool isInArena = static_cast<bool>(main.getArgAttr(number, task::kInArenaAttr));
    storage.kind = isInArena ? Storage::Kind::Arena : Storage::Kind::Input;
    storage.index = number;
    size_t id = place(argument, storage);
    if (inputRowsOf(main, number)) {
      storages[id].bytes = 0; // the caller provides a function and no memory
    }
  }
}

/// Keeps the outputs in the arena live to the end. A returned value that is not in the arena (a
/// weight) is copied to a storage of its own.
void StorageMap::placeOutputs(func::FuncOp main) {
  Operation *terminator = main.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (!main.getResultAttr(number, task::kInArenaAttr)) {
      continue;
    }
    size_t id = ids.lookup(operand.get());
    if (storages[id].kind != Storage::Kind::Arena) {
      Storage storage;
      storage.first = storage.last = step;
      storage.bytes = bytesOf(operand.get().getType());
      id = storages.size();
      storages.push_back(storage);
    }
    use(operand.get(), step);
    outputIds[number] = id;
  }
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
  int64_t alignment = kAlignment;
  if (options.alignment < kAlignment) {
    int64_t bits = kernels::memoryType(constant.getType()).getElementTypeBitWidth();
    alignment = std::min(options.alignment, std::max(bits / 8, kWordBytes));
    weightBytes = static_cast<int64_t>(llvm::alignTo(weightBytes, alignment));
  }
  auto [it, isNew] = weightOf.try_emplace(constant.getValueAttr(), weightBytes);
  if (isNew) {
    offsets.push_back(weightBytes);
    weightBytes += static_cast<int64_t>(llvm::alignTo(bytesOf(constant.getType()), alignment));
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

static task::KernelOp kernelOf(Operation *op) {
  auto run = dyn_cast<task::RunOp>(op);
  return run ? SymbolTable::lookupNearestSymbolFrom<task::KernelOp>(run, run.getKernelAttr())
             : task::KernelOp();
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
  task::KernelOp kernel = kernelOf(op);
  auto inPlace = kernel ? kernel.getInPlace() : std::nullopt;
  // The rows of a group are in rings, so its results keep a place of their own.
  if (!inPlace || parts.contains(op->getResult(0)) || cast<task::RunOp>(op).getRowGroup()) {
    return {};
  }
  for (int64_t number : inPlace->drop_back()) {
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
  auto run = dyn_cast<task::RunOp>(op);
  std::optional<task::Bands> bands = run ? task::Bands::of(run.getBandsAttr()) : std::nullopt;
  Attribute rowGroup = run ? run.getRowGroupAttr() : IntegerAttr();
  if (bands || rowGroup) {
    Builder builder(op->getContext());
    // Bands and rows number their groups separately; the type of the number tells them apart.
    Attribute key = rowGroup ? rowGroup : Attribute(builder.getIndexAttr(bands->group));
    auto [it, isNew] = groups.try_emplace(key, at, at);
    it->second.second = at;
  }
}

/// Extends live ranges to whole groups. The runs of a group execute band by band or row by row, so
/// each tensor of the group is live from the first step of the group to the last. Scratch memory is
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
  task::KernelOp kernel = kernelOf(op);
  if (kernel && kernel.getScratch()) {
    Storage storage;
    storage.first = storage.last = at;
    storage.bytes = *kernel.getScratch();
    scratchIds[op] = storages.size();
    storages.push_back(storage);
  }
}

void StorageMap::visitOp(Operation *op) {
  int64_t begin = ++step;
  opOfStep.push_back(op);
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
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    share(transpose.getResult(), transpose.getInput()); // outside a kernel: the same bytes
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
    Value operand =
        options.reuse && storage.kind == Storage::Kind::Arena ? operandInPlace(op) : Value();
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
  opOfStep.push_back(op);
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

/// Plans the memories and returns the bytes used of each. If all tensors fit into the first memory,
/// they may overlap as `shared` permits.
static std::vector<int64_t> planSpaces(std::vector<memory::Block> &blocks,
                                       const std::vector<Overlap> &shared,
                                       const std::vector<Space> &spaces) {
  std::vector<int64_t> totals(spaces.size(), 0);
  const Space &first = spaces.front();
  if (!shared.empty()) {
    totals.front() = planOverlapping(blocks, shared, first.alignment);
    if (first.bytes == 0 || totals.front() <= first.bytes) {
      return totals;
    }
  }
  return *planMemories(blocks, spaces);
}

void StorageMap::plan(func::FuncOp main) {
  std::vector<size_t> owners;
  auto [blocks, shared] = blocksBetween(0, INT64_MAX, owners);
  // The status cell is at the start of the first arena.
  int64_t begin = std::max(options.alignment, kStatusBytes);
  std::vector<Space> spaces = {{"", 0, options.alignment, 0}};
  if (options.memories.size() > 1) {
    spaces.clear();
    for (const DataMemory &memory : options.memories) {
      spaces.push_back({memory.name, memory.bytes, options.alignment, 0});
    }
    spaces.front().bytes = std::max<int64_t>(spaces.front().bytes - callerBytes() - begin, 1);
    // The linker reports by how many bytes the last memory is too small.
    spaces.back().bytes = 0;
  }
  std::vector<int64_t> totals = planSpaces(blocks, shared, spaces);
  std::vector<int64_t> ends(spaces.size(), 0);
  ends.front() = kStatusBytes;
  totals.front() += begin;
  for (auto [i, owner] : llvm::enumerate(owners)) {
    Storage &storage = storages[owner];
    storage.arena = blocks[i].space;
    storage.offset = (storage.arena == 0 ? begin : 0) + blocks[i].offset;
    ends[storage.arena] = std::max(ends[storage.arena], storage.offset + storage.bytes);
  }
  // Without caches no other data can share the last line of the arena.
  for (auto [i, space] : llvm::enumerate(spaces)) {
    plannedArenas.push_back({space.name, options.alignment < kAlignment ? ends[i] : totals[i]});
  }
  while (plannedArenas.size() > 1 && plannedArenas.back().bytes == 0) {
    plannedArenas.pop_back();
  }
  // A whole precedes its parts in `storages`, so its offset is already final.
  for (Storage &storage : storages) {
    if (storage.whole) {
      storage.offset += storages[*storage.whole].offset;
      storage.arena = storages[*storage.whole].arena;
    }
  }
  copyWeights(main);
  findPeak();
}

/// Returns the bytes of inputs and outputs in buffers of the caller.
int64_t StorageMap::callerBytes() const {
  int64_t bytes = 0;
  for (const Storage &storage : storages) {
    bool isCaller = storage.kind == Storage::Kind::Input || storage.kind == Storage::Kind::Output;
    bytes += isCaller ? static_cast<int64_t>(llvm::alignTo(storage.bytes, options.alignment)) : 0;
  }
  return bytes;
}

/// Chooses constants for the free bytes of the first memory. A kernel that computes many elements
/// reads its constants often, so its constants are first.
void StorageMap::copyWeights(func::FuncOp main) {
  if (!options.copiesWeights || options.memories.empty() || options.memories.front().bytes == 0) {
    return;
  }
  int64_t unused = options.memories.front().bytes - callerBytes() -
                   static_cast<int64_t>(llvm::alignTo(arenaBytes(), options.alignment));
  llvm::MapVector<int64_t, std::pair<int64_t, int64_t>> candidates; // offset: elements, bytes
  main.walk([&](graph::ConstantOp constant) {
    auto found = ids.find(constant.getResult());
    if (found == ids.end()) {
      return;
    }
    const Storage &storage = storages[found->second];
    auto &[elements, bytes] = candidates[storage.offset];
    bytes = storage.bytes;
    for (Operation *user : constant->getUsers()) {
      for (Type type : user->getResultTypes()) {
        elements = std::max(elements, kernels::memoryType(type).getNumElements());
      }
    }
  });
  auto order = llvm::to_vector(candidates);
  llvm::sort(order, [](const auto &a, const auto &b) {
    return std::pair(-a.second.first, a.first) < std::pair(-b.second.first, b.first);
  });
  for (const auto &[offset, use] : order) {
    int64_t bytes = static_cast<int64_t>(llvm::alignTo(use.second, options.alignment));
    if (bytes <= unused) {
      copied.push_back(offset);
      unused -= bytes;
    }
  }
  llvm::sort(copied);
}

/// Returns the bytes that at least one of the ranges contains.
static int64_t bytesOfUnion(SmallVector<std::pair<int64_t, int64_t>> ranges) {
  llvm::sort(ranges);
  int64_t bytes = 0;
  int64_t end = 0;
  for (auto [first, behind] : ranges) {
    bytes += std::max<int64_t>(behind - std::max(first, end), 0);
    end = std::max(end, behind);
  }
  return bytes;
}

/// The distance of two arenas in the count of live bytes; no arena is larger.
static constexpr int64_t kArenaStride = int64_t(1) << 48;

/// Finds the step at which the tensors that are live cover the most bytes.
void StorageMap::findPeak() {
  for (auto [at, op] : llvm::enumerate(opOfStep)) {
    auto now = static_cast<int64_t>(at);
    SmallVector<std::pair<int64_t, int64_t>> ranges;
    for (const Storage &storage : storages) {
      bool isLive = storage.first <= now && now <= storage.last;
      if (storage.kind == Storage::Kind::Arena && !storage.whole && isLive) {
        int64_t start = static_cast<int64_t>(storage.arena) * kArenaStride + storage.offset;
        ranges.emplace_back(start, start + storage.bytes);
      }
    }
    int64_t live = bytesOfUnion(std::move(ranges));
    if (op && live > peak.second) {
      peak = {op, live};
    }
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
