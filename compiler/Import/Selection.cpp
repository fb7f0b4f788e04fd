// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports ops that select or replace elements by index, condition or order.

#include "Import/OpTable.h"
#include "Import/OpenDim.h"

using namespace mlir;

namespace convoy::import {
namespace {

/// Checks that the node has the first inputs; `names` lists their names in
/// order.
LogicalResult requireAll(NodeContext &n, ArrayRef<StringRef> names) {
  for (auto [i, name] : llvm::enumerate(names)) {
    if (failed(n.require(i, name))) {
      return failure();
    }
  }
  return success();
}

LogicalResult importGather(NodeContext &n) {
  if (failed(requireAll(n, {"data", "indices"}))) {
    return failure();
  }
  FailureOr<int64_t> axis = axisOf(n, n.intAttr("axis", 0), n.input(0));
  return failed(axis) ? failure() : n.yield(n.emit<graph::GatherOp>(n.input(0), n.input(1), *axis));
}

LogicalResult importGatherElements(NodeContext &n) {
  if (failed(requireAll(n, {"data", "indices"}))) {
    return failure();
  }
  FailureOr<int64_t> axis = axisOf(n, n.intAttr("axis", 0), n.input(0));
  return failed(axis) ? failure()
                      : n.yield(n.emit<graph::GatherElementsOp>(n.input(0), n.input(1), *axis));
}

LogicalResult importGatherND(NodeContext &n) {
  if (failed(requireAll(n, {"data", "indices"}))) {
    return failure();
  }
  return n.yield(n.emit<graph::GatherNDOp>(n.input(0), n.input(1), n.intAttr("batch_dims", 0)));
}

FailureOr<graph::ScatterKind> scatterKind(NodeContext &n) {
  std::string reduction = n.stringAttr("reduction", "none");
  std::optional<graph::ScatterKind> kind = graph::symbolizeScatterKind(reduction);
  if (kind) {
    return *kind;
  }
  return FailureOr<graph::ScatterKind>(n.error() << "has reduction '" << reduction
                                                 << "', expected none, add, mul, min or max");
}

LogicalResult importScatterElements(NodeContext &n) {
  if (failed(requireAll(n, {"data", "indices", "updates"}))) {
    return failure();
  }
  FailureOr<graph::ScatterKind> kind = scatterKind(n);
  FailureOr<int64_t> axis = axisOf(n, n.intAttr("axis", 0), n.input(0));
  if (failed(kind) || failed(axis)) {
    return failure();
  }
  return n.yield(
      n.emit<graph::ScatterElementsOp>(n.input(0), n.input(1), n.input(2), *axis, *kind));
}

LogicalResult importScatterND(NodeContext &n) {
  if (failed(requireAll(n, {"data", "indices", "updates"}))) {
    return failure();
  }
  FailureOr<graph::ScatterKind> kind = scatterKind(n);
  return failed(kind)
             ? failure()
             : n.yield(n.emit<graph::ScatterNDOp>(n.input(0), n.input(1), n.input(2), *kind));
}

/// Imports TensorScatter, which writes `update` into a cache. Each batch starts
/// at its own position. The import emits a scatter of single elements along the
/// sequence axis.
LogicalResult importTensorScatter(NodeContext &n) {
  if (failed(requireAll(n, {"past_cache", "update"}))) {
    return failure();
  }
  Value cache = n.input(0);
  Value update = n.input(1);
  FailureOr<int64_t> rank = n.rank(cache);
  FailureOr<int64_t> updateRank = n.rank(update);
  std::string mode = n.stringAttr("mode", "linear");
  if (failed(rank) || failed(updateRank)) {
    return failure();
  }
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", -2), *rank);
  if (failed(axis)) {
    return failure();
  }
  if (*axis == 0 || *rank != *updateRank || (mode != "linear" && mode != "circular")) {
    return n.error() << "expects a sequence axis after the batch axis, an update with the rank of "
                        "the cache, and mode linear or circular, got axis "
                     << *axis << ", " << cache.getType() << ", " << update.getType()
                     << " and mode '" << mode << "'";
  }
  Shape alongSequence(*rank, 1);
  alongSequence[*axis] = -1;
  Value length = shapeVector(n, {dimOf(n, update, *axis)});
  Value position =
      n.reshape(n.emit<graph::RangeOp>(n.intScalar(0), length, n.intScalar(1)), alongSequence);
  if (n.input(2)) {
    Shape alongBatch(*rank, 1);
    alongBatch[0] = -1;
    Value first = n.reshape(n.cast(n.input(2), ElementType::I64), alongBatch);
    position = n.add(first, position);
  }
  if (mode == "circular") {
    Value cacheLength = shapeVector(n, {dimOf(n, cache, *axis)});
    position = n.binary(graph::BinaryKind::Mod, position, cacheLength);
  }
  Value indices = n.emit<graph::ExpandOp>(position, shapeVector(n, dimsOf(n, update)));
  return n.yield(
      n.emit<graph::ScatterElementsOp>(cache, indices, update, *axis, graph::ScatterKind::None));
}

LogicalResult importTopK(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  Value k = n.opset() < 10 ? n.ints({n.intAttr("k", 0)}) : n.input(1);
  if (!k) {
    return n.require(1, "K");
  }
  FailureOr<int64_t> axis = axisOf(n, n.intAttr("axis", -1), n.input(0));
  if (failed(axis)) {
    return failure();
  }
  bool isLargest = n.intAttr("largest", 1) != 0;
  bool isSorted = n.intAttr("sorted", 1) != 0;
  return n.yield(n.emitAll<graph::TopKOp, 2>(n.input(0), k, *axis, isLargest, isSorted));
}

/// Returns an optional axis attribute in the form of the graph op, or null if
/// the node omits it.
FailureOr<IntegerAttr> optionalAxis(NodeContext &n) {
  if (!n.hasAttr("axis")) {
    return IntegerAttr();
  }
  FailureOr<int64_t> axis = axisOf(n, n.intAttr("axis", 0), n.input(0));
  return failed(axis) ? FailureOr<IntegerAttr>(failure())
                      : FailureOr<IntegerAttr>(n.builder.getI64IntegerAttr(*axis));
}

LogicalResult importUnique(NodeContext &n) {
  if (failed(n.require(0, "X"))) {
    return failure();
  }
  FailureOr<IntegerAttr> axis = optionalAxis(n);
  if (failed(axis)) {
    return failure();
  }
  bool isSorted = n.intAttr("sorted", 1) != 0;
  return n.yield(n.emitAll<graph::UniqueOp, 4>(n.input(0), *axis, n.builder.getBoolAttr(isSorted)));
}

LogicalResult importNonZero(NodeContext &n) {
  return failed(n.require(0, "X")) ? failure() : n.yield(n.emit<graph::NonZeroOp>(n.input(0)));
}

LogicalResult importCompress(NodeContext &n) {
  if (failed(requireAll(n, {"input", "condition"}))) {
    return failure();
  }
  FailureOr<IntegerAttr> axis = optionalAxis(n);
  return failed(axis) ? failure()
                      : n.yield(n.emit<graph::CompressOp>(n.input(0), n.input(1), *axis));
}

LogicalResult importOneHot(NodeContext &n) {
  if (failed(requireAll(n, {"indices", "depth", "values"}))) {
    return failure();
  }
  // The axis refers to the dimensions of the result, which has one dimension
  // more than the indices.
  FailureOr<int64_t> axis = axisOf(n, n.intAttr("axis", -1), n.input(0), /*extra=*/1);
  if (failed(axis)) {
    return failure();
  }
  return n.yield(n.emit<graph::OneHotOp>(n.input(0), n.input(1), n.input(2), *axis));
}

LogicalResult importReverseSequence(NodeContext &n) {
  if (failed(requireAll(n, {"input", "sequence_lens"}))) {
    return failure();
  }
  FailureOr<int64_t> batch = axisOf(n, n.intAttr("batch_axis", 1), n.input(0));
  FailureOr<int64_t> time = axisOf(n, n.intAttr("time_axis", 0), n.input(0));
  if (failed(batch) || failed(time)) {
    return failure();
  }
  return n.yield(n.emit<graph::ReverseSequenceOp>(n.input(0), n.input(1), *batch, *time));
}

} // namespace

llvm::ArrayRef<OpRow> selectionRows() {
  static const OpRow kRows[] = {
      {"Compress", importCompress,
       "host: if the condition is not constant, the result must be an output that no node reads; a "
       "condition that selects a slice out of range is an error on the reference "
       "interpreter; on host it selects nothing"},
      {"Gather", importGather, kWrongReadLimit},
      {"GatherElements", importGatherElements, kWrongReadLimit},
      {"GatherND", importGatherND, kWrongReadLimit},
      {"NonZero", importNonZero,
       "host: the result must be an output of the model that no node reads"},
      {"OneHot", importOneHot},
      {"ReverseSequence", importReverseSequence,
       "a length out of range is an error on the reference interpreter; on host the affected "
       "elements are unspecified"},
      {"Scatter", importScatterElements, kWrongWriteLimit},
      {"ScatterElements", importScatterElements, kWrongWriteLimit},
      {"ScatterND", importScatterND, kWrongWriteLimit},
      {"TensorScatter", importTensorScatter,
       "requires a known rank; a position out of range is an error on the reference interpreter; "
       "on host it writes nothing"},
      {"TopK", importTopK},
      {"Unique", importUnique,
       "host: no strings; results whose size depends on data must be outputs of the model that no "
       "node reads"},
  };
  return kRows;
}

} // namespace convoy::import
