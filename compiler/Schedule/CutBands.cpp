// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the runs of a group into one work per band. Dependences are computed in program order, run
// after run, where they are correct. The order is then changed to band after band and checked:
//
//     program   a0 a1 a2 | b0 b1 b2        b0 reads rows of a0, b1 reads rows of a0 and a1
//     bands     a0 b0 | a1 b1 | a2 b2
//
// If some work of a group would come before work that it needs, the group stays unsplit. This
// happens if memory was planned without knowledge of the group.

#include "Schedule/Passes.h"
#include "Schedule/Schedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>
#include <set>

using namespace mlir;

namespace convoy::schedule {
namespace {

// Minimum cost of a banded run relative to the unsplit run, because the model of the savings is not
// exact.
constexpr double kLeastShare = 0.5;

/// Splits one run into works.
class RunCutter {
public:
  RunCutter(func::FuncOp main, KernelTable &kernels) : main(main), kernels(kernels) {}

  /// Returns the bands of a work, or an empty vector if it is in no group or cannot be split.
  std::vector<Work> cut(const Work &work) {
    auto call = dyn_cast<task::CallOp>(work.op);
    std::optional<task::Bands> bands = call ? task::Bands::of(call.getBandsAttr()) : std::nullopt;
    if (!bands || !work.guards.empty() || !kernels.of(call).rows ||
        !bands->cover(*kernels.of(call).rows)) {
      return {};
    }
    const task::RowSteps &steps = *kernels.of(call).rows;
    double wholeNs = std::max(work.costNs - bands->savedNs, kLeastShare * work.costNs);
    std::vector<Work> result;
    int64_t low = 0;
    for (auto [i, high] : llvm::enumerate(bands->ends)) {
      if (high == low) {
        continue; // its rows need more input than this band has
      }
      Work part = work;
      part.range = part.joint = part.rounds = 1;
      part.band = {static_cast<unsigned>(bands->group), static_cast<unsigned>(i), low, high};
      double rows = static_cast<double>(steps.rowsBefore(high) - steps.rowsBefore(low));
      part.costNs = wholeNs * rows / static_cast<double>(steps.ends.back());
      FailureOr<SmallVector<Access>> accesses = bandAccesses(call, main, kernels, *part.band);
      if (failed(accesses)) {
        return {};
      }
      part.accesses = std::move(*accesses);
      result.push_back(std::move(part));
      low = high;
    }
    return result;
  }

private:
  func::FuncOp main;
  KernelTable &kernels;
};

/// Returns the positions of works with the works of each group, which are consecutive, sorted by
/// band.
std::vector<unsigned> bandOrder(ArrayRef<Work> works) {
  std::vector<unsigned> order(works.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t begin = 0; begin < works.size();) {
    size_t end = begin + 1;
    while (works[begin].band && end < works.size() && works[end].band &&
           works[end].band->group == works[begin].band->group) {
      ++end;
    }
    if (works[begin].band) {
      std::sort(order.begin() + begin, order.begin() + end, [&](unsigned a, unsigned b) {
        return std::pair(works[a].band->index, a) < std::pair(works[b].band->index, b);
      });
    }
    begin = end;
  }
  return order;
}

/// Returns the groups in which some work comes before work that it needs.
std::set<unsigned> brokenGroups(ArrayRef<Work> works, ArrayRef<unsigned> positions) {
  std::set<unsigned> broken;
  for (auto [i, work] : llvm::enumerate(works)) {
    for (unsigned need : work.needs) {
      if (positions[need] > positions[i] && work.band) {
        broken.insert(work.band->group);
      }
    }
  }
  return broken;
}

std::vector<Work> reorder(std::vector<Work> works, ArrayRef<unsigned> order,
                          ArrayRef<unsigned> positions) {
  std::vector<Work> result;
  for (unsigned from : order) {
    Work &work = result.emplace_back(std::move(works[from]));
    for (SmallVectorImpl<unsigned> *needs : {&work.needs, &work.optional}) {
      for (unsigned &need : *needs) {
        need = positions[need];
      }
      llvm::sort(*needs);
    }
  }
  return result;
}

} // namespace

std::optional<std::vector<Work>> cutBands(ArrayRef<Work> works, func::FuncOp main,
                                          KernelTable &kernels) {
  RunCutter cutter(main, kernels);
  std::set<unsigned> broken;
  while (true) {
    std::vector<Work> all;
    bool hasBands = false;
    for (const Work &work : works) {
      std::vector<Work> parts = cutter.cut(work);
      if (parts.empty() || broken.count(parts.front().band->group) > 0) {
        all.push_back(work);
        continue;
      }
      hasBands = true;
      std::move(parts.begin(), parts.end(), std::back_inserter(all));
    }
    if (!hasBands) {
      return std::nullopt;
    }
    findDependences(all);
    std::vector<unsigned> order = bandOrder(all);
    std::vector<unsigned> positions(all.size());
    for (auto [position, from] : llvm::enumerate(order)) {
      positions[from] = position;
    }
    std::set<unsigned> more = brokenGroups(all, positions);
    if (more.empty()) {
      return reorder(std::move(all), order, positions);
    }
    broken.insert(more.begin(), more.end());
  }
}

void narrowToBand(task::CallOp call, const Band &band, const task::RowSteps &steps) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  auto index = [&](int64_t value) { return builder.create<arith::ConstantIndexOp>(loc, value); };
  int64_t stride = steps.chunks() * steps.inner;
  Value first = index(band.low * steps.inner);
  if (steps.outer == 1) {
    call.setSteps(first, index(band.high * steps.inner));
    return;
  }
  Value length = index((band.high - band.low) * steps.inner);
  auto loop = builder.create<scf::ForOp>(loc, first, index(steps.outer * stride), index(stride));
  call->moveBefore(loop.getBody()->getTerminator());
  builder.setInsertionPoint(call);
  Value begin = loop.getInductionVar();
  call.setSteps(begin, builder.create<arith::AddIOp>(loc, begin, length));
}

void orderByBands(ArrayRef<Work> works, KernelTable &kernels) {
  for (size_t begin = 0; begin < works.size();) {
    size_t end = begin + 1;
    std::optional<Band> band = works[begin].band;
    while (band && end < works.size() && works[end].band && works[end].band->group == band->group) {
      ++end;
    }
    llvm::SetVector<Operation *> calls;
    for (const Work &work : works.slice(begin, band ? end - begin : 0)) {
      calls.insert(work.op);
    }
    // The operands of every call are defined before the last call.
    Operation *last = nullptr;
    for (Operation *call : calls) {
      last = !last || last->isBeforeInBlock(call) ? call : last;
    }
    for (const Work &work : works.slice(begin, band ? end - begin : 0)) {
      OpBuilder builder(last);
      auto copy = cast<task::CallOp>(builder.clone(*work.op));
      narrowToBand(copy, *work.band, *kernels.of(copy).rows);
    }
    for (Operation *call : calls) {
      call->erase();
    }
    begin = end;
  }
}

} // namespace convoy::schedule
