// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-memory-lower-row-groups: replaces the calls of a group by one loop over rounds.
// In each round, a call computes one row if its pace has a row in this round.

#include "Memory/Passes.h"
#include "Task/RowSteps.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace convoy::memory {
#define GEN_PASS_DEF_LOWERROWGROUPSPASS
#include "Memory/Passes.h.inc"

namespace {

/// A call with the rows of its kernel.
struct PacedCall {
  task::CallOp call;
  task::Pace pace;
  int64_t rows = 0;

  /// Returns the rounds from the first row to behind the last row.
  int64_t span() const { return pace.stride * (rows - 1) + 1; }
};

/// Builds the loop of one group.
class GroupLoop {
public:
  explicit GroupLoop(ArrayRef<PacedCall> calls)
      : calls(calls), b(calls.back().call->getLoc(), calls.back().call->getContext()) {}

  void build() {
    task::CallOp last = calls.back().call;
    b.setInsertionPoint(last); // the operands of every call are defined before the last call
    int64_t rounds = 0;
    for (const PacedCall &paced : calls) {
      rounds = std::max(rounds, paced.pace.lag + paced.span());
    }
    auto loop = b.create<scf::ForOp>(index(0), index(rounds), index(1));
    for (const PacedCall &paced : calls) {
      b.setInsertionPoint(loop.getBody()->getTerminator());
      b.setLoc(paced.call->getLoc());
      place(paced, loop.getInductionVar(), rounds);
    }
  }

private:
  /// Moves a call into the loop, under the condition that it has a row in this round.
  void place(const PacedCall &paced, Value round, int64_t rounds) {
    Value since = round;
    if (paced.pace.lag > 0) {
      since = b.create<arith::SubIOp>(round, index(paced.pace.lag));
    }
    Value row = since;
    if (paced.pace.stride > 1) {
      row = b.create<arith::DivUIOp>(since, index(paced.pace.stride));
    }
    if (paced.pace.isDescending) {
      row = b.create<arith::SubIOp>(index(paced.rows - 1), row);
    }
    if (Value condition = isDue(paced, since, rounds)) {
      auto branch = b.create<scf::IfOp>(condition, /*withElseRegion=*/false);
      b.setInsertionPoint(branch.thenYield());
    }
    Value end = b.create<arith::AddIOp>(row, index(1));
    task::CallOp call = paced.call;
    call->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
    call.setSteps(row, end);
    call.removePaceAttr();
  }

  /// Returns whether a call has a row in a round; null if it has one in every round. An unsigned
  /// comparison also excludes the rounds before the first row.
  Value isDue(const PacedCall &paced, Value since, int64_t rounds) {
    Value condition;
    if (paced.pace.lag > 0 || paced.span() < rounds) {
      condition = b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, since, index(paced.span()));
    }
    if (paced.pace.stride > 1) {
      Value rest = b.create<arith::RemUIOp>(since, index(paced.pace.stride));
      Value isRow = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, rest, index(0));
      condition = condition ? b.create<arith::AndIOp>(condition, isRow).getResult() : isRow;
    }
    return condition;
  }

  Value index(int64_t value) { return b.create<arith::ConstantIndexOp>(value); }

  ArrayRef<PacedCall> calls;
  ImplicitLocOpBuilder b;
};

struct LowerRowGroups : impl::LowerRowGroupsPassBase<LowerRowGroups> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::MapVector<int64_t, SmallVector<PacedCall>> groups;
    WalkResult walk = module.walk([&](task::CallOp call) {
      std::optional<task::Pace> pace = task::Pace::of(call);
      if (!pace) {
        return WalkResult::advance();
      }
      auto kernel = module.lookupSymbol<task::KernelOp>(call.getKernel());
      SmallVector<PacedCall> &group = groups[pace->group];
      if (!group.empty() && group.back().call->getBlock() != call->getBlock()) {
        call.emitOpError("expects to be in the same block as the other calls of group ")
            << pace->group;
        return WalkResult::interrupt();
      }
      group.push_back({call, *pace, *kernel.getRange()});
      return WalkResult::advance();
    });
    if (walk.wasInterrupted()) {
      return signalPassFailure();
    }
    for (auto &[number, calls] : groups) {
      GroupLoop(calls).build();
    }
  }
};

} // namespace
} // namespace convoy::memory
