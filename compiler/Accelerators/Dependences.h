// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dependence graph of a region's ops. Devices whose units run in parallel turn its edges into
// waits.

#pragma once

#include "Memory/Planner/Planner.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace convoy::accelerators {

struct Dependence {
  /// Data: `to` reads what `from` writes. Control: `to` overwrites bytes that `from` reads or
  /// writes.
  enum class Kind { Data, Control };
  size_t from;
  size_t to;
  Kind kind;
};

class DependenceGraph {
public:
  /// Collects the data dependences of a block. Constants and the terminator are not nodes.
  explicit DependenceGraph(mlir::Block &block);

  llvm::ArrayRef<mlir::Operation *> ops() const { return nodes; }
  llvm::ArrayRef<Dependence> edges() const { return list; }
  /// Returns the node number of an op, as used in edges.
  size_t indexOf(mlir::Operation *op) const { return indices.lookup(op); }

  /// Adds the control dependences of a memory plan. Block i holds the result of op i. If a later
  /// block reuses its bytes, the op of the later block must wait for the producer and all users of
  /// the earlier one.
  void addReuse(llvm::ArrayRef<memory::Block> blocks);

private:
  std::vector<mlir::Operation *> nodes;
  std::vector<Dependence> list;
  llvm::DenseMap<mlir::Operation *, size_t> indices;
};

} // namespace convoy::accelerators
