// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the code at the edges of the input.

#include "Kernels/Core/Edges.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace convoy::kernels {

bool hasRowPadding(const ConvProblem &p) {
  int64_t last = (p.outputRows - 1) * p.strideRows + (p.kernelRows - 1) * p.dilationRows;
  return p.padTop > 0 || last - p.padTop >= p.inputRows;
}

std::pair<Value, Value> tapRows(LoopNest &nest, const ConvProblem &p, Value row, bool isClamped) {
  if (!hasRowPadding(p)) {
    return {nest.index(0), nest.index(p.kernelRows)};
  }
  Value above = nest.subProduct(p.padTop, row, p.strideRows);
  Value low = nest.max(nest.ceilDiv(above, p.dilationRows), 0);
  low = isClamped ? nest.min(low, p.kernelRows) : low;
  Value below = nest.add(above, p.inputRows);
  Value high = nest.min(nest.ceilDiv(below, p.dilationRows), p.kernelRows);
  return {low, isClamped ? nest.b.createOrFold<arith::MaxSIOp>(low, high) : high};
}

void branchOnRow(LoopNest &nest, const ConvProblem &p, Value row, llvm::function_ref<void()> inside,
                 llvm::function_ref<void()> outside) {
  if (!hasRowPadding(p)) {
    return inside();
  }
  auto compare = [&](arith::CmpIPredicate predicate, int64_t bound) -> Value {
    return nest.b.create<arith::CmpIOp>(predicate, row, nest.index(bound));
  };
  Value isBelow = compare(arith::CmpIPredicate::sge, 0);
  Value isAbove = compare(arith::CmpIPredicate::slt, p.inputRows);
  nest.branch(nest.b.create<arith::AndIOp>(isBelow, isAbove), inside, outside);
}

/// Returns the number of the case of a tap: of the first taps up to it, without tap 0.
static Value caseOf(LoopNest &nest, ArrayRef<int64_t> firstTaps, int64_t taps, Value tap) {
  if (static_cast<int64_t>(firstTaps.size()) == taps) {
    return tap;
  }
  Value number = nest.index(0);
  for (int64_t first : firstTaps.drop_front()) {
    Value isReached =
        nest.b.create<arith::CmpIOp>(arith::CmpIPredicate::sge, tap, nest.index(first));
    number = nest.add(
        number, nest.b.create<arith::IndexCastUIOp>(nest.b.getIndexType(), isReached).getResult());
  }
  return number;
}

LoopNest::Values switchTaps(LoopNest &nest, ArrayRef<int64_t> firstTaps, int64_t taps, Value tap,
                            TypeRange types,
                            llvm::function_ref<LoopNest::Values(Value, int64_t)> body) {
  auto count = static_cast<int64_t>(firstTaps.size());
  auto cases = llvm::to_vector(llvm::seq<int64_t>(0, count - 1)); // the last one is the default
  auto choice = nest.b.create<scf::IndexSwitchOp>(types, caseOf(nest, firstTaps, taps, tap), cases,
                                                  cases.size());
  OpBuilder::InsertionGuard guard(nest.b);
  auto fill = [&](Region &region, int64_t number) {
    nest.b.setInsertionPointToStart(&region.emplaceBlock());
    int64_t first = firstTaps[number];
    int64_t end = number + 1 < count ? firstTaps[number + 1] : taps;
    nest.b.create<scf::YieldOp>(body(end - first == 1 ? nest.index(first) : tap, first));
  };
  for (auto [number, region] : llvm::zip(cases, choice.getCaseRegions())) {
    fill(region, number);
  }
  fill(choice.getDefaultRegion(), count - 1);
  return LoopNest::Values(choice.getResults());
}

} // namespace convoy::kernels
