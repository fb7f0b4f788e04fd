// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the runs of @main in order. A run that writes a storage begins a tensor. The tensor ends
// with the last run that reads its storage before another run writes it:
//
//   %a = task.run @a(%in)    writes storage 0: tensor a begins
//   %b = task.run @b(%a)     reads storage 0: a is in use until here; b begins
//   %c = task.run @c(%b)     in place: c begins in the storage of b
//
// Runs in one loop or one row group interleave, so each tensor that they use is in use during the
// whole loop or group.

#include "Memory/DescribePlan.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Kernels/Passes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace convoy::memory {
namespace {

class PlanWriter {
public:
  PlanWriter(func::FuncOp main, const StorageMap &storages) : main(main), storages(storages) {}

  MemoryPlan write() {
    main.walk([&](task::RunOp run) { runs.push_back(run); });
    findSpans();
    for (auto [index, run] : llvm::enumerate(runs)) {
      plan.calls.push_back({run.getKernel().str(), graph::nodeText(run.getLoc())});
      readOperands(run, static_cast<int64_t>(index));
      writeResults(run, static_cast<int64_t>(index));
    }
    for (const auto &[storage, index] : current) {
      int64_t &last = plan.tensors[index].last;
      last = std::max(last, lastCallOf(*storage));
    }
    return std::move(plan);
  }

private:
  struct Span {
    int64_t first, last;
  };

  /// Returns the op or number that identifies the runs that interleave with a run; null if the run
  /// interleaves with no other one.
  const void *interleavedWith(task::RunOp run) const {
    const void *found = nullptr;
    if (storages.paceOf(run)) {
      found = run.getRowGroupAttr().getAsOpaquePointer();
    }
    for (Operation *op = run->getParentOp(); op != main; op = op->getParentOp()) {
      found = isa<graph::LoopOp, graph::ScanOp>(op) ? op : found;
    }
    return found;
  }

  /// Finds the first and the last call that interleave with each call.
  void findSpans() {
    llvm::DenseMap<const void *, Span> found;
    for (auto [i, run] : llvm::enumerate(runs)) {
      auto index = static_cast<int64_t>(i);
      if (const void *key = interleavedWith(run)) {
        auto [entry, isNew] = found.try_emplace(key, Span{index, index});
        entry->second.last = index;
      }
    }
    for (auto [i, run] : llvm::enumerate(runs)) {
      auto index = static_cast<int64_t>(i);
      const void *key = interleavedWith(run);
      spans.push_back(key ? found.lookup(key) : Span{index, index});
    }
  }

  /// Returns the last call that begins while a storage, or a storage that contains it, is live.
  int64_t lastCallOf(const Storage &storage) const {
    int64_t step = storage.last;
    for (const Storage *whole = storages.wholeOf(storage); whole;
         whole = storages.wholeOf(*whole)) {
      step = std::max(step, whole->last);
    }
    int64_t calls = 0;
    for (Operation *op : storages.steps().take_front(static_cast<size_t>(step) + 1)) {
      calls += isa_and_nonnull<task::RunOp>(op);
    }
    return calls - 1;
  }

  bool contains(const Storage *whole, const Storage *part) const {
    for (; part; part = storages.wholeOf(*part)) {
      if (part == whole) {
        return true;
      }
    }
    return false;
  }

  static int64_t bytesOf(const Storage &storage, Type type) {
    MemRefType memory = kernels::memoryType(type);
    int64_t elementBytes = (memory.getElementTypeBitWidth() + 7) / 8;
    return storage.ringRows > 0 ? storage.bytes : memory.getNumElements() * elementBytes;
  }

  void add(const Storage &storage, int64_t bytes, int64_t call, Span span) {
    current[&storage] = plan.tensors.size();
    plan.tensors.push_back({call, /*isScratch=*/false, static_cast<int64_t>(storage.arena),
                            storage.offset, bytes, span.first, span.last, storage.ringRows});
  }

  void addScratch(const Storage &storage, int64_t call) {
    plan.tensors.push_back({call, /*isScratch=*/true, static_cast<int64_t>(storage.arena),
                            storage.offset, storage.bytes, spans[call].first, spans[call].last});
  }

  void readOperands(task::RunOp run, int64_t call) {
    for (Value operand : run.getInputs()) {
      const Storage &storage = storages.of(operand);
      if (storage.kind == Storage::Kind::Weights) {
        bool isNew = constants.insert(storage.offset).second;
        plan.calls.back().weightsBytes += isNew ? storage.bytes : 0;
      } else if (storage.kind == Storage::Kind::Arena) {
        read(storage, operand.getType(), spans[call]);
      }
    }
  }

  void read(const Storage &storage, Type type, Span span) {
    bool isFound = false;
    for (const auto &[known, index] : current) {
      if (contains(known, &storage) || contains(&storage, known)) {
        PlannedTensor &tensor = plan.tensors[index];
        tensor.first = std::min(tensor.first, span.first);
        tensor.last = std::max(tensor.last, span.last);
        isFound = true;
      }
    }
    if (!isFound) {
      // The caller writes an input in the arena before the run.
      add(storage, bytesOf(storage, type), -1, {0, span.last});
    }
  }

  void writeResults(task::RunOp run, int64_t call) {
    for (Value result : run.getValues()) {
      const Storage &storage = storages.of(result);
      if (storage.kind == Storage::Kind::Arena) {
        add(storage, bytesOf(storage, result.getType()), call, spans[call]);
      }
    }
    auto kernel = SymbolTable::lookupNearestSymbolFrom<task::KernelOp>(main, run.getKernelAttr());
    if (kernel && kernel.getMayFail()) {
      Storage status;
      status.offset = StorageMap::kStatusOffset;
      status.bytes = StorageMap::kStatusBytes;
      addScratch(status, call);
    }
    if (const Storage *scratch = storages.scratchOf(run)) {
      addScratch(*scratch, call);
    }
  }

  func::FuncOp main;
  const StorageMap &storages;
  MemoryPlan plan;
  SmallVector<task::RunOp> runs;
  std::vector<Span> spans;           // by call
  llvm::DenseSet<int64_t> constants; // offsets
  /// The tensor that each storage holds now, by index.
  llvm::MapVector<const Storage *, size_t> current;
};

} // namespace

MemoryPlan describePlan(func::FuncOp main, const StorageMap &storages) {
  return PlanWriter(main, storages).write();
}

} // namespace convoy::memory
