// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitter of the attention template. LowerAttention.cpp emits the tasks and the passes over the
// keys, AttentionCopies.cpp the copies of queries and values, AttentionScores.cpp the scores and
// their exponentials, AttentionResults.cpp the products with the values.

#pragma once

#include "Kernels/Attention/Attention.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/LaneMemory.h"
#include "Kernels/Core/LoopNest.h"
#include "Kernels/KernelFunction.h"

namespace convoy::kernels::attention {

/// The scratch memory of a task, in elements.
struct Scratch {
  Scratch(const AttentionProblem &p, AttentionAttr config, const Machine &machine)
      : scores(p.headSize * config.getQueries()),
        sums(scores + config.getChunk() * config.getQueries()), largest(sums + config.getQueries()),
        factors(largest + (config.getChunk() < p.keys ? config.getQueries() : 0)),
        results(factors + factors - largest),
        values(results + config.getQueries() * slots(p, machine)),
        end(values + (config.getPack() != 0 ? p.keys * p.valueSize : 0)) {}

  int64_t queries = 0; // headSize x block
  int64_t scores;      // chunk x block
  int64_t sums;        // the sums of the block, and after the last chunk their inverses
  int64_t largest;     // the largest scores so far, if there are several chunks
  int64_t factors;     // of the results so far, if there are several chunks
  int64_t results;     // block x slots
  int64_t values;      // keys x valueSize
  int64_t end;

  /// Returns the elements of a result row in whole vectors.
  static int64_t slots(const AttentionProblem &p, const Machine &machine) {
    int64_t width = widthFor(p.valueSize, machine.lanes());
    return ceilDiv(p.valueSize, width) * width;
  }
};

/// The position of a block and the offsets of its head in memory.
struct BlockPlace {
  llvm::SmallVector<mlir::Value> lead;
  mlir::Value firstQuery; // of the block, moved back so that the block ends at the last query
  mlir::Value firstOwn;   // number of the first query in the block that no other task stores
  mlir::Value query, key, value, result;
};

/// Adjacent keys of a head.
struct KeyRange {
  mlir::Value first;
  int64_t count;
};

/// Keys `offset` + `begin` to `offset` + `end` of a head, whose scores are at `begin` to `end` in
/// scratch memory.
struct KeyBounds {
  mlir::Value begin, end, offset;
};

using Carried = LoopNest::Values;

class AttentionEmitter : private LoopNest {
public:
  AttentionEmitter(KernelFunction &function, const AttentionProblem &p, AttentionAttr config,
                   const Machine &machine);

  void emit();

private:
  /// A vector of a result row.
  struct Column {
    int64_t first;
    int64_t width;
    /// The position in scratch memory. The last vector of a row overlaps the one before it in the
    /// result, but not in scratch memory, where both are sums.
    int64_t slot;
  };

  mlir::Value view(int64_t begin, int64_t end) {
    return function.scratchFloats(begin, end - begin);
  }

  mlir::Value memoryOf(const AttentionOperand &operand);
  Carried forTiles(const KeyRange &range, int64_t size, Carried carried,
                   llvm::function_ref<Carried(const KeyRange &, llvm::ArrayRef<mlir::Value>)> body);
  mlir::Value offset(const ViewDim &dim, mlir::Value at);
  mlir::Value headOffset(const StridedView &operand, llvm::ArrayRef<mlir::Value> lead);
  BlockPlace placeOf(mlir::Value task);
  llvm::SmallVector<Index> scoreAt(const BlockPlace &place, int64_t vector, mlir::Value key);
  mlir::Value scoreSlot(const KeyRange &range, mlir::Value key, int64_t vector);
  void emitAllKeys(const BlockPlace &place);
  void emitChunks(const BlockPlace &place);
  void emitNeededChunk(const BlockPlace &place, const KeyRange &range);
  mlir::Value isAnyAllowed(const BlockPlace &place, const KeyRange &range);
  mlir::Value allowedFlag(llvm::ArrayRef<Index> at);
  void emitChunk(const BlockPlace &place, const KeyRange &range);
  void scaleResults();
  void storeInverse(llvm::ArrayRef<mlir::Value> sums);
  Carried loadVectors(mlir::Value memory);
  void storeVectors(llvm::ArrayRef<mlir::Value> values, mlir::Value memory);
  void packQueries(const BlockPlace &place);
  mlir::Value scaled(mlir::Value x);
  void transposeQueries(mlir::Value start, int64_t queryStride);
  void transpose(llvm::MutableArrayRef<mlir::Value> lines);
  void packValues(mlir::Value task, const BlockPlace &place);
  Carried emitScores(const BlockPlace &place, const KeyRange &range, Carried largest);
  Carried emitScoreTile(const BlockPlace &place, const KeyRange &range, const KeyRange &tile,
                        llvm::ArrayRef<mlir::Value> largest);
  mlir::Value larger(mlir::Value x, mlir::Value y);
  static mlir::Value inPairs(Carried values,
                             llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  Carried scoreProducts(const BlockPlace &place, mlir::Value firstKey, int64_t count);
  Carried emitExponentials(const BlockPlace &place, const KeyRange &range,
                           llvm::ArrayRef<mlir::Value> largest, Carried sums);
  Carried exponentials(const BlockPlace &place, const KeyRange &range, const KeyRange &step,
                       llvm::ArrayRef<mlir::Value> largest, llvm::ArrayRef<mlir::Value> sums);
  void emitWeights(const BlockPlace &place, llvm::ArrayRef<mlir::Value> sums);
  void emitResults(const BlockPlace &place, const KeyRange &range);
  void clearResults();
  mlir::Value zeroOf(const Column &column);
  void emitResultTile(const BlockPlace &place, llvm::ArrayRef<Column> own, mlir::Value firstRow,
                      const KeyBounds &bounds, bool isWhole);
  Carried addValues(const BlockPlace &place, llvm::ArrayRef<Column> own, mlir::Value slot,
                    mlir::Value key, mlir::Value firstRow, Carried next);
  void store(const BlockPlace &place);

  KernelFunction &function;
  const AttentionProblem &p;
  const Machine &machine;
  KernelEmitter elements;
  int64_t block, keys, chunk, vectors, lanes, rows;
  bool isPacked;
  int64_t first; // the dimension of views after the leading ones
  int64_t blocks;
  int64_t slots; // elements of a result row in scratch memory
  mlir::Value queryMemory, scoreMemory, sumMemory, largestMemory, factorMemory, resultMemory,
      valueMemory;
  int64_t valueStride, elementStride;
  llvm::SmallVector<Column> columns;
};

} // namespace convoy::kernels::attention
