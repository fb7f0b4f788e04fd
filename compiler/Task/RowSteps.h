// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the range of a lowered kernel covers the rows of its result, and which operand rows each
// result row reads. A run can then be split along rows, so consecutive layers can run band by band.
//
//     range  = outer x chunks x inner steps, the last varies fastest
//     band   = chunks [low, high) of every outer step
//
//     outer 0   |c0|c1|c2|c3|      a conv of 2 panels of channels, 4 chunks of rows:
//     outer 1   |c0|c1|c2|c3|      the band c1, c2 is steps 1..2 and 5..6

#pragma once

#include "Graph/RegionInference.h"
#include "Task/Task.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace convoy::task {

struct RowSteps {
  int64_t outer = 1;
  int64_t inner = 1;
  /// By chunk: the number of result rows, from the first row on, that are done after this chunk;
  /// kNoCut if the chunk does not end at a row.
  llvm::SmallVector<int64_t> ends;
  /// By operand: the window of rows that a result row reads; nullopt if it may read any part.
  llvm::SmallVector<std::optional<graph::SlidingWindow>> reads;

  static constexpr int64_t kNoCut = -1;

  int64_t chunks() const { return static_cast<int64_t>(ends.size()); }
  /// Returns the rows that are done before chunk `chunk`, where a band may start or end.
  int64_t rowsBefore(int64_t chunk) const { return chunk == 0 ? 0 : ends[chunk - 1]; }

  /// Returns the rows of an operand of `extent` rows that chunks [low, high) read. The last chunk
  /// may read to the end, because a template may compute more rows there than it stores.
  graph::IndexRange readsOf(unsigned operand, int64_t low, int64_t high, int64_t extent) const;

  RowStepsAttr toAttr(mlir::MLIRContext *context) const;
  /// Returns the RowSteps of a kernel, or nullopt if it has none.
  static std::optional<RowSteps> of(KernelOp kernel);
};

/// How a run is split, so that rows pass through it and the adjacent runs band by band.
struct Bands {
  /// Consecutive runs with the same number are split into the same bands.
  int64_t group = 0;
  /// By band: the chunks of the kernel's RowSteps that are done after the band.
  llvm::SmallVector<int64_t> ends;
  /// Estimated nanoseconds that bands save for this run.
  double savedNs = 0;

  BandsAttr toAttr(mlir::MLIRContext *context) const;
  /// Returns the Bands of an attribute, or nullopt if it is null.
  static std::optional<Bands> of(BandsAttr attribute);

  /// Returns whether the bands end at rows, in ascending order, and cover all chunks.
  bool cover(const RowSteps &steps) const;
};

/// When a call of a group that runs row by row computes its rows: row i in round `stride` * i +
/// `lag` of the group's loop. A descending group counts rows from the last row.
struct Pace {
  /// Calls with the same number share a loop.
  int64_t group = 0;
  int64_t stride = 1;
  int64_t lag = 0;
  bool isDescending = false;

  PaceAttr toAttr(mlir::MLIRContext *context) const;
  /// Returns the Pace of a call, or nullopt if it has none.
  static std::optional<Pace> of(CallOp call);
};

/// Returns chunks of `rowsPerChunk` rows; the last chunk has the remainder.
llvm::SmallVector<int64_t> evenChunks(int64_t rows, int64_t rowsPerChunk);

/// Returns, for each argument of rank 4, the window of rows (dimension 2) that a row of the block's
/// single result reads; nullopt for arguments without such a window. Returns nullopt if the result
/// is not a single tensor of rank 4.
std::optional<llvm::SmallVector<std::optional<graph::SlidingWindow>>>
inferRowReads(mlir::Block &body);

/// A tensor of rank 4 in memory, planar or blocked, as planes of rows.
struct RowMemory {
  int64_t planes = 0;
  int64_t rows = 0;
  int64_t rowBytes = 0;

  int64_t bytes() const { return planes * rows * rowBytes; }
};

/// Returns the rows of a tensor in `bytes` bytes of memory, or nullopt if it has no rows.
std::optional<RowMemory> rowMemoryOf(mlir::Type tensor, int64_t bytes);

} // namespace convoy::task
