// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements LoopNest with ops of the scf dialect.

#include "Kernels/Core/LoopNest.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace convoy::kernels {

LoopNest::Values LoopNest::loop(Value low, Value high, Values carried,
                                llvm::function_ref<Values(Value, Values)> body) {
  auto op = b.create<scf::ForOp>(low, high, index(1), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  Values next = body(op.getInductionVar(), Values(op.getRegionIterArgs()));
  if (!next.empty()) { // otherwise the builder of the op has created the terminator
    b.create<scf::YieldOp>(next);
  }
  return Values(op.getResults());
}

LoopNest::Values LoopNest::loop(int64_t count, Values carried,
                                llvm::function_ref<Values(Value, Values)> body) {
  return count == 1 ? body(index(0), std::move(carried))
                    : loop(index(0), index(count), std::move(carried), body);
}

void LoopNest::loop(Value low, Value high, int64_t step, llvm::function_ref<void(Value)> body) {
  auto op = b.create<scf::ForOp>(low, high, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

void LoopNest::loop(Value low, Value high, llvm::function_ref<void(Value)> body) {
  loop(low, high, 1, body);
}

void LoopNest::loop(int64_t count, llvm::function_ref<void(Value)> body) {
  if (count == 1) {
    return body(index(0));
  }
  loop(index(0), index(count), body);
}

LoopNest::Values LoopNest::unrolled(int64_t count, int64_t unroll, Values carried,
                                    llvm::function_ref<Values(Value, int64_t, Values)> body) {
  int64_t steps = count / unroll;
  if (steps > 0) {
    carried = loop(steps, std::move(carried), [&](Value i, Values now) {
      return body(mul(i, unroll), unroll, std::move(now));
    });
  }
  int64_t rest = count % unroll;
  return rest == 0 ? carried : body(index(steps * unroll), rest, std::move(carried));
}

void LoopNest::branch(Value condition, llvm::function_ref<void()> then,
                      llvm::function_ref<void()> otherwise) {
  auto op = b.create<scf::IfOp>(condition, /*withElseRegion=*/static_cast<bool>(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op.thenYield());
  then();
  if (otherwise) {
    b.setInsertionPoint(op.elseYield());
    otherwise();
  }
}

LoopNest::Values LoopNest::branch(Value condition, llvm::function_ref<Values()> then,
                                  llvm::function_ref<Values()> otherwise, TypeRange types) {
  auto op = b.create<scf::IfOp>(types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(op.thenBlock());
  b.create<scf::YieldOp>(then());
  b.setInsertionPointToEnd(op.elseBlock());
  b.create<scf::YieldOp>(otherwise());
  return Values(op.getResults());
}

} // namespace convoy::kernels
