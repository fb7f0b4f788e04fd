// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-layout-cancel-concats: finds concatenations whose operands can be written
// directly into the memory of the result. The pass visits kernels from last to first, so it knows
// whether a result is itself an operand of a canceled concatenation. Chains of concatenations then
// become nested parts.

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

/// Returns the concatenation if the kernel contains nothing else, or null.
graph::ConcatOp concatOf(graph::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto concat = dyn_cast<graph::ConcatOp>(body.front());
  bool isAll = concat && concat->getNextNode() == body.getTerminator() &&
               llvm::equal(concat.getInputs(), body.getArguments());
  return isAll ? concat : graph::ConcatOp();
}

/// Returns whether the operands are contiguous and adjacent in the result: all dimensions before
/// the axis are 1, and only the last operand may end inside a channel block.
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
  /// Marks all values as parts of one result. Returns false, and marks none, if one of them already
  /// has a fixed place.
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
