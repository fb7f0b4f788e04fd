// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Kernel.td documents. WinogradEmitter.cpp emits tasks and transforms;
// WinogradProducts.cpp emits the products between the transforms. accumulate() is the micro-kernel.

#pragma once

#include "Kernels/Core/LoopNest.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Winograd/Transform.h"
#include "Kernels/Winograd/WinogradPlan.h"

namespace convoy::kernels {

class WinogradEmitter : private LoopNest {
public:
  WinogradEmitter(KernelFunction &function, const ConvKernel &kernel, WinogradAttr config,
                  int64_t vectorBytes);

  /// Emits the body of the function and completes it.
  void emit();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;

  /// The work of a task: tiles and groups [low, high), and the panels of a chunk.
  struct Task {
    Value groupLow, groupHigh, tileLow, tileHigh, chunk, panels;
  };
  /// The position of the first result of a tile.
  struct Place {
    Value batch, row, column, isLastColumn;
  };
  /// A group of tiles multiplied by a panel of weights. Offsets are in elements.
  struct Group {
    int64_t tiles;
    Value weights, input, products; // of the first channel, tile and vector
    Value pass;
    Value ahead; // weights to prefetch
  };

  void emitTask(Value task);
  void emitRounds();
  Value firstTile(Value group);
  Place placeOf(Value tile);

  // Input.
  void emitInput(const Task &task);
  void emitInputTile(Value channelBlock, Value tile, Value to);
  bool isAlwaysInside() const;
  void fillPatch(Value batchOffset, Value row, Value column);
  /// Returns the offset of frequency `row` of a column in `half`.
  Value halfPlace(int64_t row, Value column);
  void transformTile(Value memory, Value from, int64_t rowStride, Value to);

  // Products.
  void emitProducts(const Task &task);
  void emitPanel(const Task &task, Value frequency, Value panel);
  void emitGroup(Group group);
  Values start(const Group &group);
  Values accumulateBlock(const Group &group, Value block, int64_t channels, Values sums);
  Values accumulate(const Group &group, Value block, Value first, int64_t channels, Values sums);
  int64_t fetchShares() const;
  Value aheadOf(Value weights, Value ordinal);
  void fetchAhead(const Group &group, Value block, Value first, int64_t channel);

  // Output.
  void emitOutput(const Task &task);
  void emitOutputTile(Value channelBlock, Value tile, Value from);
  void fetchResults(Value channelBlock, const Place &place);
  void emitResult(Value channelBlock, const Place &place, Value row, int64_t column, Value sum);
  void storeResult(Value channelBlock, const Place &place, Value row, int64_t column, Value sum);

  // Building.
  Value compare(mlir::arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
    return b.createOrFold<mlir::arith::CmpIOp>(predicate, lhs, index(rhs));
  }
  Value resultOffset(Value channelBlock, const Place &place, Value row, int64_t column);
  /// Prefetches a cache line. Locality 3 is the first-level cache, 2 the second-level cache.
  void fetch(Value memory, Value offset, bool isWrite, int locality);
  Value load(Value memory, Value offset);
  void store(Value value, Value memory, Value offset);

  KernelFunction &function;
  const ConvKernel &kernel;
  const ConvProblem &p;
  WinogradAttr config;
  WinogradPlan plan;
  KernelEmitter elements; // loads epilogue operands
  mlir::VectorType vector;
  int64_t block;
  bool isLong; // see Machine::hasLongVectors
  LineTransforms transforms;
  Value x, w, y;
  Value transformed, products; // scratch memory
  Value half;                  // a tile between its two transforms, on the stack
  Value patch;                 // an input tile padded with zeros
};

} // namespace convoy::kernels
