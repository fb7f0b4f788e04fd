// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of StorageMap for runs that proceed row by row. Each group of runs, and each single run
// of such a kernel, becomes a list of layers and tensors for scheduleRows (RowSchedule.h). The
// schedule gives the rows of the rings, and the results that may lie over consumed operands.

#include "Memory/RowKernels.h"
#include "Memory/Storage.h"

using namespace mlir;

namespace convoy::memory {
/// The layers and tensors of a group. Tensors are identified by their storage.
struct StorageMap::GroupRows {
  std::vector<RowTensor> tensors;
  std::vector<size_t> storages; // by tensor
  std::vector<RowLayer> layers;

  std::optional<size_t> find(size_t storage) const {
    auto it = llvm::find(storages, storage);
    return it == storages.end() ? std::nullopt : std::optional<size_t>(it - storages.begin());
  }

  /// Returns the tensor in a storage; nullopt if the group sees it with another number of rows.
  std::optional<size_t> add(size_t storage, const RowTensor &tensor) {
    if (std::optional<size_t> known = find(storage)) {
      return tensors[*known].rows == tensor.rows ? known : std::nullopt;
    }
    tensors.push_back(tensor);
    storages.push_back(storage);
    return tensors.size() - 1;
  }

  /// Records that a run reads a storage other than by rows. Returns false if the storage holds an
  /// earlier result of the group.
  bool keep(size_t storage) {
    std::optional<size_t> tensor = find(storage);
    if (tensor && !tensors[*tensor].isOutside) {
      return false;
    }
    if (tensor) {
      tensors[*tensor].isKept = true;
    }
    return true;
  }
};

/// Returns the groups of runs of kernels with rows, each in program order.
std::vector<SmallVector<task::RunOp>> StorageMap::findRowGroups(const RowKernels &kernels) const {
  std::vector<SmallVector<task::RunOp>> found;
  llvm::DenseMap<int64_t, size_t> numbers;
  for (Operation *op : opOfStep) {
    auto run = dyn_cast_or_null<task::RunOp>(op);
    if (!run || !kernels.of(run)) {
      continue;
    }
    std::optional<int64_t> number = run.getRowGroup();
    auto [it, isNew] =
        number ? numbers.try_emplace(*number, found.size()) : std::pair(numbers.end(), true);
    if (isNew) {
      found.emplace_back();
    }
    found[number ? it->second : found.size() - 1].push_back(run);
  }
  return found;
}

/// Schedules the runs of each group. A group that cannot be scheduled runs layer by layer.
void StorageMap::scheduleRowGroups(const RowKernels &kernels) {
  llvm::DenseMap<Operation *, int64_t> steps;
  for (auto [at, op] : llvm::enumerate(opOfStep)) {
    steps.try_emplace(op, at);
  }
  for (ArrayRef<task::RunOp> runs : findRowGroups(kernels)) {
    scheduleRowGroup(runs, kernels, steps.lookup(runs.back()));
  }
}

/// Adds the layer of a run that ends in step `last` at the latest. Returns false if the run cannot
/// be in the group.
bool StorageMap::addLayer(task::RunOp run, const RowKernel &kernel, int64_t last,
                          GroupRows &group) const {
  auto tensorOf = [&](size_t id, int64_t rows, bool isOutside) {
    const Storage &storage = storages[id];
    bool isKept = storage.kind != Storage::Kind::Arena || storage.whole || storage.last > last;
    return RowTensor{rows, storage.bytes / rows, isOutside, isKept};
  };
  RowLayer layer;
  for (auto [i, operand] : llvm::enumerate(run.getInputs())) {
    size_t id = ids.lookup(operand);
    if (!kernel.reads[i]) {
      continue;
    }
    std::optional<size_t> tensor = group.add(id, tensorOf(id, kernel.rows[i], true));
    if (!tensor) {
      return false;
    }
    const graph::SlidingWindow &window = *kernel.reads[i];
    layer.reads.push_back({*tensor, {window.kernel, window.stride, window.padBefore}});
  }
  size_t id = ids.lookup(run->getResult(0));
  if (group.find(id)) {
    return false; // the result is in the place of an operand
  }
  layer.result = *group.add(id, tensorOf(id, kernel.rows[run.getInputs().size()], false));
  group.layers.push_back(std::move(layer));
  return true;
}

void StorageMap::scheduleRowGroup(ArrayRef<task::RunOp> runs, const RowKernels &kernels,
                                  int64_t last) {
  GroupRows group;
  for (task::RunOp run : runs) {
    if (!addLayer(run, *kernels.of(run), last, group)) {
      return;
    }
  }
  for (task::RunOp run : runs) {
    for (auto [i, operand] : llvm::enumerate(run.getInputs())) {
      if (!kernels.of(run)->reads[i] && !group.keep(ids.lookup(operand))) {
        return;
      }
    }
  }
  task::RunOp first = runs.front();
  bool isDescending = first.getDescending();
  if (auto schedule = scheduleRows(group.tensors, group.layers, isDescending)) {
    apply(*schedule, group, runs);
  }
}

/// Records the paces of the runs, the rings and the overlaps of a schedule. A run alone that is in
/// no group computes all rows at once, so it has no pace and no rings.
void StorageMap::apply(const RowSchedule &schedule, const GroupRows &group,
                       ArrayRef<task::RunOp> runs) {
  task::RunOp first = runs.front();
  std::optional<int64_t> number = first.getRowGroup();
  bool isDescending = first.getDescending();
  for (auto [run, pace] : llvm::zip(runs, schedule.paces)) {
    if (number) {
      paces[run] = {*number, pace.stride, pace.lag, isDescending};
    }
  }
  for (auto [i, id] : llvm::enumerate(group.storages)) {
    if (number && schedule.rings[i] < group.tensors[i].rows) {
      storages[id].ringRows = schedule.rings[i];
      storages[id].bytes = schedule.rings[i] * group.tensors[i].rowBytes;
    }
  }
  for (const RowOverlap &overlap : schedule.overlaps) {
    overlaps.push_back({group.storages[overlap.operand], group.storages[overlap.result],
                        overlap.low, overlap.high});
  }
}

/// Returns the blocks of the arena that are live between two steps, and the overlaps of these
/// blocks. `owners` gets the storage of each block.
std::pair<std::vector<memory::Block>, std::vector<Overlap>>
StorageMap::blocksBetween(int64_t first, int64_t last, std::vector<size_t> &owners) const {
  std::vector<memory::Block> blocks;
  llvm::DenseMap<size_t, size_t> positions;
  for (auto [i, storage] : llvm::enumerate(storages)) {
    bool isLive = storage.first <= last && storage.last >= first;
    if (storage.kind == Storage::Kind::Arena && !storage.whole && isLive) {
      positions[i] = blocks.size();
      blocks.push_back({std::max<int64_t>(storage.bytes, 1), options.reuse ? storage.first : 0,
                        options.reuse ? storage.last : INT64_MAX});
      owners.push_back(i);
    }
  }
  std::vector<Overlap> shared;
  for (const Overlap &overlap : overlaps) {
    auto operand = positions.find(overlap.operand);
    auto result = positions.find(overlap.result);
    if (options.reuse && operand != positions.end() && result != positions.end()) {
      shared.push_back({operand->second, result->second, overlap.low, overlap.high});
    }
  }
  return {std::move(blocks), std::move(shared)};
}

int64_t StorageMap::bytesBetween(Operation *first, Operation *last) const {
  int64_t begin = llvm::find(opOfStep, first) - opOfStep.begin();
  int64_t end = llvm::find(opOfStep, last) - opOfStep.begin();
  std::vector<size_t> owners;
  auto [blocks, shared] = blocksBetween(begin, end, owners);
  return planOverlapping(blocks, shared, options.alignment);
}

} // namespace convoy::memory
