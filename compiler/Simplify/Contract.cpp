// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the contract of the graph stage: every op has the types of its type rule.
// Place and Fusion therefore take shapes from types.

#include "Simplify/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_CHECKGRAPHCONTRACTPASS
#include "Simplify/Passes.h.inc"

namespace {

/// Returns whether `found` is at least as precise as `expected`.
bool isAsPrecise(Type found, Type expected) {
  auto expectedRanked = dyn_cast<RankedTensorType>(expected);
  auto foundRanked = dyn_cast<RankedTensorType>(found);
  if (!expectedRanked) {
    return true;
  }
  if (!foundRanked || foundRanked.getElementType() != expectedRanked.getElementType() ||
      foundRanked.getRank() != expectedRanked.getRank()) {
    return false;
  }
  for (auto [f, e] : llvm::zip(foundRanked.getShape(), expectedRanked.getShape())) {
    if (e != kDynamic && f != e) {
      return false;
    }
  }
  return true;
}

struct CheckGraphContract : impl::CheckGraphContractPassBase<CheckGraphContract> {
  void runOnOperation() override {
    Knowledge knowledge;
    getOperation().walk([&](TypeInferenceOpInterface op) {
      FailureOr<SmallVector<Type>> types = inferTypesOf(op, knowledge);
      if (failed(types)) {
        return signalPassFailure();
      }
      for (auto [result, type] : llvm::zip(op->getResults(), *types)) {
        if (!isAsPrecise(result.getType(), type)) {
          op->emitOpError("has type ")
              << result.getType()
              << " after the graph stage, expected at least the type of its type rule, " << type;
          signalPassFailure();
        }
      }
    });
  }
};

} // namespace

void addSimplifyContract(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createCheckGraphContractPass());
}

} // namespace convoy::simplify
