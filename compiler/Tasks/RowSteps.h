// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the range of a lowered kernel runs over the rows of its result, and which rows
// of its operands those are made of. With it a run can be cut along rows: layers in a
// row of layers can then be done band by band.
//
//     range  = outer x chunks x inner steps, the last fastest
//     band   = chunks [low, high) of every outer one
//
//     outer 0   |c0|c1|c2|c3|      a conv of 2 panels of channels, 4 chunks of rows:
//     outer 1   |c0|c1|c2|c3|      the band c1, c2 is steps 1..2 and 5..6

#pragma once

#include "Graph/RegionInference.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace convoy::task {

/// On a lowered kernel whose range is cut along rows: its RowSteps.
constexpr llvm::StringLiteral kRowsAttr = "task.rows";

struct RowSteps {
  int64_t outer = 1;
  int64_t inner = 1;
  /// By chunk: the rows of the result that are done, from the first on, after this
  /// chunk and those before it; kNoCut when that is no whole number.
  llvm::SmallVector<int64_t> ends;
  /// By operand: rows of it that a row of the result reads; none: any part of it.
  llvm::SmallVector<std::optional<graph::Window>> reads;

  static constexpr int64_t kNoCut = -1;

  int64_t chunks() const { return static_cast<int64_t>(ends.size()); }
  /// Rows that are done before chunk `chunk`, at which a band may begin or end.
  int64_t rowsBefore(int64_t chunk) const { return chunk == 0 ? 0 : ends[chunk - 1]; }

  /// The rows of an operand of `extent` rows that chunks [low, high) read. The last chunk
  /// may read on to the end: a template may compute more rows there than it stores.
  graph::Range readsOf(unsigned operand, int64_t low, int64_t high, int64_t extent) const;

  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;
  /// What the kernel says of itself; none when it says nothing.
  static std::optional<RowSteps> of(mlir::func::FuncOp kernel);
};

/// On a run, and on the call that it becomes: its Bands.
constexpr llvm::StringLiteral kBandsAttr = "task.bands";

/// How a run is cut so that rows pass through it and its neighbours band by band.
struct Bands {
  /// Runs with one number, which follow each other, are cut into the same bands.
  int64_t group = 0;
  /// By band: the chunks of the kernel's RowSteps done after it and those before it.
  llvm::SmallVector<int64_t> ends;
  /// What the run is thought to take less when done so.
  double savedNs = 0;

  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;
  static std::optional<Bands> of(mlir::Operation *run);
};

/// Chunks of `rowsPerChunk` rows, the last one of what is left.
llvm::SmallVector<int64_t> evenChunks(int64_t rows, int64_t rowsPerChunk);

/// Which rows (dimension 2) of each argument of rank 4 a row of the one result of a
/// block of graph ops depends on; none for arguments of which no such window can be
/// given. Nothing when the result is not one tensor of rank 4.
std::optional<llvm::SmallVector<std::optional<graph::Window>>> inferRowReads(mlir::Block &body);

/// A tensor of rank 4 in memory, planar or blocked: planes of rows.
struct RowMemory {
  int64_t planes = 0;
  int64_t rows = 0;
  int64_t rowBytes = 0;

  int64_t bytes() const { return planes * rows * rowBytes; }
};

/// The rows of a tensor whose memory has so many bytes; none when it has no rows.
std::optional<RowMemory> rowMemoryOf(mlir::Type tensor, int64_t bytes);

} // namespace convoy::task
