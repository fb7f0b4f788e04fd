// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds data dependences from SSA values and control dependences from a memory plan.

#include "Accelerators/Dependences.h"
#include "Graph/Graph.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace convoy::accelerators {

DependenceGraph::DependenceGraph(mlir::Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (isa<graph::ConstantOp>(op)) {
      continue;
    }
    size_t to = nodes.size();
    indices[&op] = to;
    nodes.push_back(&op);
    llvm::SetVector<Operation *> producers;
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && indices.count(producer)) {
        producers.insert(producer);
      }
    }
    for (Operation *producer : producers) {
      list.push_back({indices.lookup(producer), to, Dependence::Kind::Data});
    }
  }
}

static bool shareBytes(const memory::Block &a, const memory::Block &b) {
  return a.space == b.space && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

void DependenceGraph::addReuse(llvm::ArrayRef<memory::Block> blocks) {
  llvm::SetVector<std::pair<size_t, size_t>> pairs;
  for (size_t earlier = 0; earlier < nodes.size(); ++earlier) {
    for (size_t later = earlier + 1; later < nodes.size(); ++later) {
      if (!shareBytes(blocks[earlier], blocks[later])) {
        continue;
      }
      pairs.insert({earlier, later});
      for (Operation *user : nodes[earlier]->getUsers()) {
        auto it = indices.find(user);
        if (it != indices.end() && it->second < later) {
          pairs.insert({it->second, later});
        }
      }
    }
  }
  for (auto [from, to] : pairs) {
    list.push_back({from, to, Dependence::Kind::Control});
  }
}

} // namespace convoy::accelerators
