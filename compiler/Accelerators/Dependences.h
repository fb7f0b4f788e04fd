// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator dependence graph of a region: which op must be done before which, and
// why. Devices whose units run at once turn its edges into waits.

#pragma once

#include "Memory/Planner.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace convoy::accelerators {

struct Dependence {
  /// Data: `to` reads what `from` writes. Control: `to` writes over bytes that `from`
  /// reads or writes.
  enum class Kind { Data, Control };
  size_t from;
  size_t to;
  Kind kind;
};

class DependenceGraph {
public:
  /// Data dependences of a block, read from its values. Constants and the terminator
  /// are no nodes.
  explicit DependenceGraph(mlir::Block &block);

  llvm::ArrayRef<mlir::Operation *> ops() const { return nodes; }
  llvm::ArrayRef<Dependence> edges() const { return list; }
  /// The number of an op, as edges name it.
  size_t indexOf(mlir::Operation *op) const { return indices.lookup(op); }

  /// Adds control dependences that a plan makes: block i holds the result of op i, and
  /// whoever gets its bytes next must come after all that touch it.
  void addReuse(llvm::ArrayRef<memory::Block> blocks);

private:
  std::vector<mlir::Operation *> nodes;
  std::vector<Dependence> list;
  llvm::DenseMap<mlir::Operation *, size_t> indices;
};

} // namespace convoy::accelerators
