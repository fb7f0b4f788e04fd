// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports reductions, ArgMax, ArgMin and cumulative ops. The axes of a
// reduction are an attribute in old opsets and an input in newer ones.

#include "Import/OpTable.h"

using namespace mlir;
using convoy::graph::CumulativeKind;
using convoy::graph::ReduceKind;

namespace convoy::import {
namespace {

/// Returns the axes, or null to reduce all dimensions.
Value axesOf(NodeContext &n) {
  // ReduceSum takes the axes as an input since opset 13, the other reductions
  // since opset 18.
  bool isInput = n.opset() >= (n.opType() == "ReduceSum" ? 13 : 18);
  if (isInput) {
    return n.input(1);
  }
  Shape axes = n.intsAttr("axes");
  return axes.empty() ? Value() : n.ints(axes);
}

template <ReduceKind kKind>
LogicalResult importReduce(NodeContext &n) {
  bool keepsDims = n.intAttr("keepdims", 1) != 0;
  bool isNoop = n.intAttr("noop_with_empty_axes", 0) != 0;
  return n.yield(n.emit<graph::ReduceOp>(kKind, n.input(0), axesOf(n), keepsDims, isNoop));
}

template <bool kTakesMax>
LogicalResult importArgReduce(NodeContext &n) {
  bool keepsDims = n.intAttr("keepdims", 1) != 0;
  bool selectsLast = n.intAttr("select_last_index", 0) != 0;
  return n.yield(n.emit<graph::ArgReduceOp>(n.input(0), n.intAttr("axis", 0), keepsDims, kTakesMax,
                                            selectsLast));
}

template <CumulativeKind kKind>
LogicalResult importCumulative(NodeContext &n) {
  bool isExclusive = n.intAttr("exclusive", 0) != 0;
  bool isReverse = n.intAttr("reverse", 0) != 0;
  return n.yield(
      n.emit<graph::CumulativeOp>(kKind, n.input(0), n.input(1), isExclusive, isReverse));
}

} // namespace

llvm::ArrayRef<OpRow> reductionRows() {
  static const OpRow kRows[] = {
      {"ArgMax", importArgReduce<true>},
      {"ArgMin", importArgReduce<false>},
      {"CumProd", importCumulative<CumulativeKind::Prod>},
      {"CumSum", importCumulative<CumulativeKind::Sum>},
      {"ReduceL1", importReduce<ReduceKind::L1>},
      {"ReduceL2", importReduce<ReduceKind::L2>},
      {"ReduceLogSum", importReduce<ReduceKind::LogSum>},
      {"ReduceLogSumExp", importReduce<ReduceKind::LogSumExp>},
      {"ReduceMax", importReduce<ReduceKind::Max>},
      {"ReduceMean", importReduce<ReduceKind::Mean>},
      {"ReduceMin", importReduce<ReduceKind::Min>},
      {"ReduceProd", importReduce<ReduceKind::Prod>},
      {"ReduceSum", importReduce<ReduceKind::Sum>},
      {"ReduceSumSquare", importReduce<ReduceKind::SumSquare>},
  };
  return kRows;
}

} // namespace convoy::import
