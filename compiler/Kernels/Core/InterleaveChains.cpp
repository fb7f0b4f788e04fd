// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the interleaving as a round-robin over the chains. An op waits for its turn until its
// operands are placed.

#include "Kernels/Core/InterleaveChains.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace convoy::kernels {
using Chain = std::vector<Operation *>;

namespace {

class Interleaver {
public:
  explicit Interleaver(ArrayRef<Chain> chains) : chains(chains), next(chains.size(), 0) {
    for (const Chain &chain : chains) {
      waiting.insert(chain.begin(), chain.end());
    }
  }

  /// Returns all ops in their new order.
  std::vector<Operation *> run() {
    std::vector<Operation *> order;
    while (!waiting.empty()) {
      for (size_t i = 0; i < chains.size(); ++i) {
        if (next[i] < chains[i].size() && isReady(chains[i][next[i]])) {
          Operation *op = chains[i][next[i]++];
          waiting.erase(op);
          order.push_back(op);
        }
      }
    }
    return order;
  }

private:
  bool isReady(Operation *op) const {
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    return llvm::none_of(used,
                         [&](Value value) { return waiting.contains(value.getDefiningOp()); });
  }

  ArrayRef<Chain> chains;
  std::vector<size_t> next; // by chain
  llvm::DenseSet<Operation *> waiting;
};

} // namespace

void interleaveOps(ArrayRef<Chain> chains) {
  Operation *last = nullptr;
  for (const Chain &chain : chains) {
    last = chain.empty() ? last : chain.back();
  }
  if (!last) {
    return;
  }
  Block *block = last->getBlock();
  Block::iterator end = std::next(last->getIterator());
  for (Operation *op : Interleaver(chains).run()) {
    op->moveBefore(block, end);
  }
}

void interleaveChains(OpBuilder &builder, int64_t count, llvm::function_ref<void(int64_t)> emit) {
  Block *block = builder.getInsertionBlock();
  Block::iterator end = builder.getInsertionPoint();
  std::vector<Chain> chains;
  for (int64_t i = 0; i < count; ++i) {
    Operation *before = end == block->begin() ? nullptr : &*std::prev(end);
    emit(i);
    Chain &chain = chains.emplace_back();
    for (auto op = before ? std::next(before->getIterator()) : block->begin(); op != end; ++op) {
      chain.push_back(&*op);
    }
  }
  interleaveOps(chains);
}

} // namespace convoy::kernels
