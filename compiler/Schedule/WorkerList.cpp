// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements WorkerList.h.

#include "Schedule/WorkerList.h"
#include "Task/Team.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace convoy::schedule {
namespace {

void linearize(Block &block, std::vector<Event> &events) {
  for (Operation &op : block) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch) {
      events.push_back({Event::Kind::Run, &op, true});
      continue;
    }
    for (Region *side : branch.getRegions()) {
      if (!side->empty()) {
        bool isThen = side == &branch.getThenRegion();
        events.push_back({Event::Kind::Enter, branch, isThen});
        linearize(side->front(), events);
        events.push_back({Event::Kind::Leave, branch, isThen});
      }
    }
  }
}

template <typename Op>
Part readPart(Op op, int64_t elems) {
  return {op,
          static_cast<int64_t>(op.getWord()),
          elems,
          static_cast<int64_t>(op.getPart()),
          static_cast<int64_t>(op.getParts()),
          static_cast<int64_t>(op.getRange()),
          /*rounds=*/1};
}

template <typename Plain, typename InLoop>
std::optional<Flagging> flaggingOf(Operation *op) {
  auto read = [&](auto flag, Value base) {
    return Flagging{op, static_cast<int64_t>(flag.getWorker()),
                    static_cast<int64_t>(flag.getCount()), base};
  };
  if (auto plain = dyn_cast<Plain>(op)) {
    return read(plain, Value());
  }
  auto inLoop = dyn_cast<InLoop>(op);
  return inLoop ? std::optional(read(inLoop, inLoop.getBase())) : std::nullopt;
}

} // namespace

std::vector<Event> eventsOf(Block &block) {
  std::vector<Event> events;
  linearize(block, events);
  return events;
}

Part partOf(Operation *op) {
  if (auto share = dyn_cast<task::ShareOp>(op)) {
    return readPart(share, task::kWordElems);
  }
  if (std::optional<task::Team> team = task::Team::of(op)) {
    int64_t word = team->line * task::kFlagElems;
    return {op,          word, task::kFlagElems, team->part, team->parts, /*range=*/team->steps,
            /*rounds=*/1};
  }
  auto rounds = dyn_cast<task::RoundsOp>(op);
  Part part = rounds ? readPart(rounds, task::kFlagElems) : Part();
  part.rounds = rounds ? static_cast<int64_t>(rounds.getRounds()) : 1;
  return part;
}

task::CallOp calledIn(const Part &part) {
  Block &body = part.op->getRegion(0).front();
  auto call = llvm::hasSingleElement(body) ? dyn_cast<task::CallOp>(body.front()) : nullptr;
  bool isOverTaken =
      call && call.getBegin() == body.getArgument(0) && call.getEnd() == body.getArgument(1);
  return isOverTaken ? call : nullptr;
}

std::optional<Flagging> waitOf(Operation *op) {
  return flaggingOf<task::WaitOp, task::TeamWaitOp>(op);
}
std::optional<Flagging> postOf(Operation *op) {
  return flaggingOf<task::PostOp, task::TeamPostOp>(op);
}

} // namespace convoy::schedule
