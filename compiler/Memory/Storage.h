// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines the storage of each tensor of @main. Views of one tensor share a storage. The
// results of loops and branches have a storage that the bodies fill. Operands of a
// concatenation are parts of its result.

#pragma once

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
  int64_t bytes = 0;
  // The first and the last step at which the bytes are live; only for the arena.
  int64_t first = 0;
  int64_t last = 0;
  /// The storage that contains this one at `offset`.
  std::optional<size_t> whole;
};

class StorageMap {
public:
  /// Determines the storage of every tensor of @main and plans the arena.
  StorageMap(mlir::func::FuncOp main, bool reuse);

  const Storage &of(mlir::Value value) const { return storages[ids.lookup(value)]; }

  /// Returns the scratch memory of a task, or null if it needs none.
  const Storage *scratchOf(mlir::Operation *run) const {
    auto it = scratchIds.find(run);
    return it == scratchIds.end() ? nullptr : &storages[it->second];
  }

  int64_t arenaBytes() const { return plannedBytes; }
  int64_t weightsBytes() const { return weightBytes; }
  mlir::ArrayAttr weights(mlir::MLIRContext *context) const;
  llvm::ArrayRef<int64_t> weightOffsets() const { return offsets; }

  /// The offset of the i32 status cell, which is always at the start of the arena.
  static constexpr int64_t kStatusOffset = 0;

private:
  void visitBlock(mlir::Block &block);
  void visitOp(mlir::Operation *op);
  void placeArguments(mlir::Operation *op, mlir::Region &region, int64_t begin);
  void findParts(mlir::Block &block);
  size_t place(mlir::Value value, Storage storage);
  size_t placeWhole(mlir::Value concat);
  void share(mlir::Value value, mlir::Value with);
  void use(mlir::Value value, int64_t step);
  void noteGroup(mlir::Operation *op, int64_t at);
  void keepGroupsApart();
  void placeScratch(mlir::Operation *op, int64_t at);
  void placeWeights(mlir::Operation *constant);
  mlir::Value operandInPlace(mlir::Operation *op) const;
  void plan();

  bool reuse; // share bytes between tensors that are not live at the same time
  std::vector<Storage> storages;
  llvm::DenseMap<mlir::Value, size_t> ids;
  llvm::DenseMap<mlir::Operation *, size_t> scratchIds;
  /// Maps an operand of a concatenation outside kernels to the result and the offset in it.
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, int64_t>> parts;
  llvm::DenseMap<mlir::Value, int64_t> results; // maps a returned value to the index of its output
  /// The first and last step of each group of runs that execute band by band.
  llvm::MapVector<int64_t, std::pair<int64_t, int64_t>> groups;
  llvm::MapVector<mlir::Attribute, int64_t> weightOf;
  std::vector<int64_t> offsets;
  int64_t step = 0;
  int64_t weightBytes = 0;
  int64_t plannedBytes = 0;
};

} // namespace convoy::memory
