// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines the storage of each tensor of @main. Views of one tensor share a storage. The
// results of loops and branches have a storage that the bodies fill. Operands of a
// concatenation are parts of its result.

#pragma once

#include "Memory/Attributes.h"
#include "Memory/Passes.h"
#include "Memory/Planner/Overlaps.h"
#include "Memory/Planner/RowSchedule.h"
#include "Task/RowSteps.h"
#include "Task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <optional>

namespace convoy::memory {

struct Storage {
  enum class Kind { Input, Output, Weights, Arena };
  Kind kind = Kind::Arena;
  int64_t index = 0;  // index of the input or output
  int64_t offset = 0; // offset in the weights or in the arena
  size_t arena = 0;   // index of the arena
  int64_t bytes = 0;
  // The first and the last step at which the bytes are live; only for the arena.
  int64_t first = 0;
  int64_t last = 0;
  /// The rows of a ring; 0 if the bytes hold the whole tensor.
  int64_t ringRows = 0;
  /// The storage that contains this one at `offset`.
  std::optional<size_t> whole;

  /// Returns whether two tensors in planned memory have a common byte of the arena.
  bool sharesBytes(const Storage &other) const {
    return kind == Kind::Arena && other.kind == Kind::Arena && arena == other.arena &&
           offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

class RowKernels;
struct RowKernel;

class StorageMap {
public:
  /// Determines the storage of every tensor of @main. `kernels` may be null: then no run proceeds
  /// row by row.
  StorageMap(mlir::func::FuncOp main, const MemoryOptions &options, const RowKernels *kernels);

  /// Assigns the offsets in the arenas, and chooses the constants to copy.
  void plan(mlir::func::FuncOp main);

  /// Returns the bytes that the tensors need that are live from one op to another op of @main.
  int64_t bytesBetween(mlir::Operation *first, mlir::Operation *last) const;

  const Storage &of(mlir::Value value) const { return storages[ids.lookup(value)]; }

  /// Returns the storage that contains a storage, or null.
  const Storage *wholeOf(const Storage &storage) const {
    return storage.whole ? &storages[*storage.whole] : nullptr;
  }

  /// Returns the op of each step; null for the first step.
  llvm::ArrayRef<mlir::Operation *> steps() const { return opOfStep; }

  /// Returns the storage of an output in the arena, or null if the caller provides its memory.
  const Storage *outputOf(unsigned index) const {
    auto it = outputIds.find(index);
    return it == outputIds.end() ? nullptr : &storages[it->second];
  }

  /// Returns the scratch memory of a task, or null if it needs none.
  const Storage *scratchOf(mlir::Operation *run) const {
    auto it = scratchIds.find(run);
    return it == scratchIds.end() ? nullptr : &storages[it->second];
  }

  /// Returns when a run computes its rows; nullopt if it computes all rows at once.
  std::optional<task::Pace> paceOf(mlir::Operation *run) const {
    auto it = paces.find(run);
    return it == paces.end() ? std::nullopt : std::optional(it->second);
  }

  /// The arenas that the model uses, at least one.
  llvm::ArrayRef<Arena> arenas() const { return plannedArenas; }
  int64_t arenaBytes() const { return plannedArenas.front().bytes; }
  /// The offsets of the constants that start-up code copies to the first memory.
  llvm::ArrayRef<int64_t> copiedWeights() const { return copied; }
  int64_t weightsBytes() const { return weightBytes; }

  /// The op of @main during which the most bytes of the arena are live; null if none is.
  mlir::Operation *peakOp() const { return peak.first; }
  int64_t peakBytes() const { return peak.second; }
  mlir::ArrayAttr weights(mlir::MLIRContext *context) const;
  llvm::ArrayRef<int64_t> weightOffsets() const { return offsets; }

  /// The offset of the i32 status cell, which is always at the start of the arena.
  static constexpr int64_t kStatusOffset = 0;
  static constexpr int64_t kStatusBytes = 4;

private:
  void visitBlock(mlir::Block &block);
  void visitOp(mlir::Operation *op);
  void placeArguments(mlir::Operation *op, mlir::Region &region, int64_t begin);
  void findParts(mlir::Block &block);
  void placeInputs(mlir::func::FuncOp main);
  void placeOutputs(mlir::func::FuncOp main);
  size_t place(mlir::Value value, Storage storage);
  size_t placeWhole(mlir::Value concat);
  void share(mlir::Value value, mlir::Value with);
  void use(mlir::Value value, int64_t step);
  void noteGroup(mlir::Operation *op, int64_t at);
  void keepGroupsApart();
  void placeScratch(mlir::Operation *op, int64_t at);
  void placeWeights(mlir::Operation *constant);
  mlir::Value operandInPlace(mlir::Operation *op) const;
  int64_t callerBytes() const;
  void copyWeights(mlir::func::FuncOp main);
  void findPeak();
  // StorageRows.cpp: runs that proceed row by row.
  std::vector<llvm::SmallVector<task::RunOp>> findRowGroups(const RowKernels &kernels) const;
  void scheduleRowGroups(const RowKernels &kernels);
  void scheduleRowGroup(llvm::ArrayRef<task::RunOp> runs, const RowKernels &kernels, int64_t last);
  struct GroupRows;
  bool addLayer(task::RunOp run, const RowKernel &kernel, int64_t last, GroupRows &group) const;
  void apply(const RowSchedule &schedule, const GroupRows &group, llvm::ArrayRef<task::RunOp> runs);
  std::pair<std::vector<Block>, std::vector<Overlap>>
  blocksBetween(int64_t first, int64_t last, std::vector<size_t> &owners) const;

  MemoryOptions options;
  std::vector<Storage> storages;
  llvm::DenseMap<mlir::Value, size_t> ids;
  llvm::DenseMap<mlir::Operation *, size_t> scratchIds;
  /// Maps an operand of a concatenation outside kernels to the result and the offset in it.
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, int64_t>> parts;
  llvm::DenseMap<mlir::Value, int64_t> results; // maps a returned value to the index of its output
  llvm::DenseMap<unsigned, size_t> outputIds;   // maps an output to its storage in the arena
  /// The first and last step of each group of runs that execute band by band or row by row.
  llvm::MapVector<mlir::Attribute, std::pair<int64_t, int64_t>> groups;
  llvm::DenseMap<mlir::Operation *, task::Pace> paces;
  std::vector<Overlap> overlaps; // of storages
  llvm::MapVector<mlir::Attribute, int64_t> weightOf;
  std::vector<int64_t> offsets;
  int64_t step = 0;
  std::vector<mlir::Operation *> opOfStep = {nullptr};
  std::pair<mlir::Operation *, int64_t> peak = {nullptr, 0};
  int64_t weightBytes = 0;
  std::vector<Arena> plannedArenas;
  std::vector<int64_t> copied;
};

} // namespace convoy::memory
