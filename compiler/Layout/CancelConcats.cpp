// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds concatenations whose operands can be written where the result has them.
// From the last to the first: a result that is itself a part is then known to be
// one, and chains become parts of parts.

#include "Graph/Graph.h"
#include "Graph/View.h"
#include "Layout/Passes.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace convoy::layout {
#define GEN_PASS_DEF_CANCELCONCATSPASS
#include "Layout/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The concatenation that is all a kernel does, or null.
graph::ConcatOp concatOf(graph::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto concat = dyn_cast<graph::ConcatOp>(body.front());
  bool isAll = concat && concat->getNextNode() == body.getTerminator() &&
               llvm::equal(concat.getInputs(), body.getArguments());
  return isAll ? concat : graph::ConcatOp();
}

/// Whether the operands lie one behind the other in the result: nothing in front
/// of the axis repeats them, and only the last may end within a block.
bool isSideBySide(graph::ConcatOp concat) {
  RankedTensorType result = typeOf(concat.getResult());
  auto axis = static_cast<int64_t>(concat.getAxis());
  int64_t elements = 0;
  for (Value input : concat.getInputs()) {
    if (graph::layoutOf(input.getType()) != graph::layoutOf(result)) {
      return false;
    }
    elements += graph::physicalElements(typeOf(input));
  }
  bool isOfChannels = axis == graph::channelDim(result.getRank());
  return llvm::all_of(result.getShape().take_front(axis), [](int64_t n) { return n == 1; }) &&
         (graph::channelBlock(result) == 0 || isOfChannels) &&
         elements == graph::physicalElements(result);
}

bool isReturned(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *op) { return isa<func::ReturnOp>(op); });
}

struct CancelConcats : impl::CancelConcatsPassBase<CancelConcats> {
  using CancelConcatsPassBase::CancelConcatsPassBase;

  void runOnOperation() override {
    llvm::SmallPtrSet<Value, 16> parts;
    auto kernels = llvm::to_vector(getOperation().getBody().front().getOps<graph::KernelOp>());
    for (graph::KernelOp kernel : llvm::reverse(kernels)) {
      graph::ConcatOp concat = concatOf(kernel);
      if (concat && isSideBySide(concat) && !isReturned(kernel.getResult(0)) &&
          claim(kernel.getInputs(), parts)) {
        cancel(kernel, concat);
      }
    }
  }

private:
  /// Makes all of them parts, unless one has a place of its own already.
  static bool claim(ValueRange values, llvm::SmallPtrSet<Value, 16> &parts) {
    llvm::SmallPtrSet<Value, 8> own;
    for (Value value : values) {
      Value tensor = graph::viewedTensor(value);
      bool isFree = tensor.getDefiningOp<graph::KernelOp>() && !isReturned(tensor) &&
                    !parts.contains(tensor) && own.insert(tensor).second;
      if (!isFree) {
        return false;
      }
    }
    parts.insert(own.begin(), own.end());
    return true;
  }

  void cancel(graph::KernelOp kernel, graph::ConcatOp concat) {
    OpBuilder builder(kernel);
    auto whole = builder.create<graph::ConcatOp>(kernel.getLoc(), kernel.getResult(0).getType(),
                                                 kernel.getInputs(), concat.getAxis());
    kernel.getResult(0).replaceAllUsesWith(whole.getResult());
    kernel.erase();
    ++canceled;
  }
};

} // namespace
} // namespace convoy::layout
