// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Infers the windows of row reads. Region inference gives the operand rows of every result row, and
// a window is used only if it reproduces all of them, so bands are exact.

#include "Task/RowSteps.h"
#include "Graph/Graph.h"
#include "Graph/Layout.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::task {
namespace {

constexpr unsigned kRowDim = 2;
constexpr int64_t kRank = 4;

/// The rows of one argument that each row of the result reads.
using RowTable = SmallVector<graph::IndexRange>;

bool hasRows(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getRank() == kRank;
}

graph::IndexRange hullOf(graph::IndexRange a, graph::IndexRange b) {
  if (a.count <= 0 || b.count <= 0) {
    return a.count <= 0 ? b : a;
  }
  int64_t first = std::min(a.first, b.first);
  int64_t end = std::max(a.first + a.count, b.first + b.count);
  return {first, end - first};
}

/// Adds the rows that one row of the result reads to the table of each argument.
void addRow(Block &body, int64_t row, MutableArrayRef<RowTable> tables) {
  llvm::DenseMap<Value, graph::Region> needed;
  Value result = body.getTerminator()->getOperand(0);
  graph::Region &region = needed[result] = graph::wholeOf(result);
  region[kRowDim] = {row, 1};
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    auto it = op.getNumResults() == 0 ? needed.end() : needed.find(op.getResult(0));
    if (it == needed.end()) {
      continue;
    }
    graph::Region own = it->second;
    for (unsigned i = 0; i < op.getNumOperands(); ++i) {
      graph::Region read = graph::inferOperandRegion(&op, i, own);
      auto [known, isNew] = needed.try_emplace(op.getOperand(i), read);
      for (size_t dim = 0; !isNew && dim < read.size(); ++dim) {
        known->second[dim] = hullOf(known->second[dim], read[dim]);
      }
    }
  }
  for (BlockArgument argument : body.getArguments()) {
    auto it = needed.find(argument);
    bool isRead = it != needed.end() && hasRows(argument);
    tables[argument.getArgNumber()].push_back(isRead ? it->second[kRowDim] : graph::IndexRange());
  }
}

/// Returns the window that reproduces the table for a tensor of `extent` rows.
std::optional<graph::SlidingWindow> fitWindow(ArrayRef<graph::IndexRange> table, int64_t extent) {
  auto isInside = [&](graph::IndexRange range) {
    return range.first > 0 && range.count > 0 && range.first + range.count < extent;
  };
  for (size_t row = 0; row + 1 < table.size(); ++row) {
    if (!isInside(table[row]) || !isInside(table[row + 1])) {
      continue;
    }
    graph::SlidingWindow window;
    window.kernel = table[row].count;
    window.stride = table[row + 1].first - table[row].first;
    window.padBefore = static_cast<int64_t>(row) * window.stride - table[row].first;
    bool isSame = window.stride > 0;
    for (size_t i = 0; isSame && i < table.size(); ++i) {
      isSame = graph::readsOfWindow(window, {static_cast<int64_t>(i), 1}, extent).range == table[i];
    }
    return isSame ? std::optional(window) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace

graph::IndexRange RowSteps::readsOf(unsigned operand, int64_t low, int64_t high,
                                    int64_t extent) const {
  int64_t first = rowsBefore(low);
  int64_t count = rowsBefore(high) - first;
  graph::IndexRange range = graph::readsOfWindow(*reads[operand], {first, count}, extent).range;
  if (high == chunks() && high > low) {
    range.count = extent - range.first;
  }
  return range;
}

RowStepsAttr RowSteps::toAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<Attribute> windows;
  for (const std::optional<graph::SlidingWindow> &window : reads) {
    SmallVector<int64_t> numbers;
    if (window) {
      numbers = {window->kernel, window->stride, window->padBefore};
    }
    windows.push_back(b.getDenseI64ArrayAttr(numbers));
  }
  return RowStepsAttr::get(context, outer, inner, b.getDenseI64ArrayAttr(ends),
                           b.getArrayAttr(windows));
}

std::optional<RowSteps> RowSteps::of(KernelOp kernel) {
  RowStepsAttr rows = kernel ? kernel.getRowsAttr() : RowStepsAttr();
  if (!rows) {
    return std::nullopt;
  }
  RowSteps steps;
  steps.inner = rows.getInner();
  steps.outer = rows.getOuter();
  steps.ends.assign(rows.getEnds().asArrayRef().begin(), rows.getEnds().asArrayRef().end());
  for (auto numbers : rows.getReads().getAsRange<DenseI64ArrayAttr>()) {
    steps.reads.push_back(numbers.empty()
                              ? std::nullopt
                              : std::optional(graph::SlidingWindow{numbers[0], numbers[1],
                                                                   /*dilation=*/1, numbers[2]}));
  }
  return steps;
}

BandsAttr Bands::toAttr(MLIRContext *context) const {
  Builder b(context);
  return BandsAttr::get(context, group, b.getDenseI64ArrayAttr(ends), b.getF64FloatAttr(savedNs));
}

std::optional<Bands> Bands::of(BandsAttr attribute) {
  if (!attribute) {
    return std::nullopt;
  }
  return Bands{attribute.getGroup(), SmallVector<int64_t>(attribute.getEnds().asArrayRef()),
               attribute.getSavedNs().getValueAsDouble()};
}

bool Bands::cover(const RowSteps &steps) const {
  int64_t low = 0;
  for (int64_t high : ends) {
    if (high < low || high > steps.chunks() || steps.rowsBefore(high) == RowSteps::kNoCut) {
      return false;
    }
    low = high;
  }
  return low == steps.chunks();
}

PaceAttr Pace::toAttr(MLIRContext *context) const {
  return PaceAttr::get(context, group, stride, lag, isDescending);
}

std::optional<Pace> Pace::of(CallOp call) {
  PaceAttr pace = call.getPaceAttr();
  if (!pace) {
    return std::nullopt;
  }
  return Pace{pace.getGroup(), pace.getStride(), pace.getLag(), pace.getDescending()};
}

SmallVector<int64_t> evenChunks(int64_t rows, int64_t rowsPerChunk) {
  SmallVector<int64_t> ends;
  for (int64_t row = 0; row < rows; row += rowsPerChunk) {
    ends.push_back(std::min(row + rowsPerChunk, rows));
  }
  return ends;
}

std::optional<SmallVector<std::optional<graph::SlidingWindow>>> inferRowReads(Block &body) {
  Operation *yield = body.getTerminator();
  // Region inference supports only the first result of an op and ops without regions.
  bool isPlain = llvm::all_of(body.without_terminator(), [](Operation &op) {
    return op.getNumRegions() == 0 &&
           llvm::all_of(op.getResults().drop_front(op.getNumResults() > 0 ? 1 : 0),
                        [](Value other) { return other.use_empty(); });
  });
  if (!isPlain || yield->getNumOperands() != 1 || !hasRows(yield->getOperand(0))) {
    return std::nullopt;
  }
  SmallVector<RowTable> tables(body.getNumArguments());
  int64_t rows = graph::wholeOf(yield->getOperand(0))[kRowDim].count;
  for (int64_t row = 0; row < rows; ++row) {
    addRow(body, row, tables);
  }
  SmallVector<std::optional<graph::SlidingWindow>> reads;
  for (BlockArgument argument : body.getArguments()) {
    reads.emplace_back();
    if (hasRows(argument) && rowMemoryOf(argument.getType(), 0)) {
      int64_t extent = graph::wholeOf(argument)[kRowDim].count;
      reads.back() = fitWindow(tables[argument.getArgNumber()], extent);
    }
  }
  return reads;
}

std::optional<RowMemory> rowMemoryOf(Type tensor, int64_t bytes) {
  auto type = dyn_cast<RankedTensorType>(tensor);
  if (!type || !type.hasStaticShape() || type.getRank() != kRank) {
    return std::nullopt;
  }
  int64_t block = graph::channelBlock(type);
  if (block == 0 && graph::layoutOf(type)) {
    return std::nullopt; // weights
  }
  int64_t channels = type.getDimSize(1);
  RowMemory memory;
  memory.planes =
      type.getDimSize(0) * (block == 0 ? channels : llvm::divideCeilSigned(channels, block));
  memory.rows = type.getDimSize(kRowDim);
  if (memory.planes <= 0 || memory.rows <= 0) {
    return std::nullopt;
  }
  memory.rowBytes = bytes / (memory.planes * memory.rows);
  return memory;
}

} // namespace convoy::task
