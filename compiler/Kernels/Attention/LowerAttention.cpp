// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Attention.td documents. Lanes of the scores are queries, so a maximum or
// a sum along the keys needs no operation between lanes, and the keys are scalars that need no
// copy. Lanes of the results are elements of a head. The generic emitters compute the score ops.

#include "Kernels/Attention/Attention.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/FloatMultiply.h"
#include "Kernels/Core/InterleaveChains.h"
#include "Kernels/Core/LaneMemory.h"
#include "Kernels/Core/RegisterTile.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Loops/Arithmetic.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Keys per step of the passes over stored scores and masks. A step combines its values in pairs,
/// so that the rounding error of the sum of exponentials grows with the number of steps and not
/// with the number of keys.
constexpr int64_t kStepKeys = 8;

/// Keys of the smallest part of the product with the values. Fewer products would not pay for the
/// loads and stores of the sums.
constexpr int64_t kLeastPart = 32;
/// Lanes of the largest square that is transposed in registers. The code grows with the square.
constexpr int64_t kMostTransposed = 16;

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
  SmallVector<Value> lead;
  Value firstQuery; // of the block, moved back so that the block ends at the last query
  Value firstOwn;   // number of the first query in the block that no other task stores
  Value query, key, value, result;
};

/// Adjacent keys of a head.
struct KeyRange {
  Value first;
  int64_t count;
};

/// Keys `offset` + `begin` to `offset` + `end` of a head, whose scores are at `begin` to `end` in
/// scratch memory.
struct KeyBounds {
  Value begin, end, offset;
};

class AttentionEmitter : private LoopNest {
public:
  AttentionEmitter(KernelFunction &function, const AttentionProblem &p, AttentionAttr config,
                   const Machine &machine)
      : LoopNest(function.b), function(function), p(p), machine(machine),
        elements(function.b, machine.vectorBytes), block(config.getQueries()),
        keys(config.getKeys()), chunk(config.getChunk()), vectors(config.getVectors()),
        lanes(block / vectors), rows(config.getUnroll()), isPacked(config.getPack() != 0),
        first(static_cast<int64_t>(p.lead.size())), blocks(kernels::ceilDiv(p.queries, block)),
        slots(Scratch::slots(p, machine)) {
    function.bindOperands(elements);
    Scratch scratch(p, config, machine);
    queryMemory = view(scratch.queries, scratch.scores);
    scoreMemory = view(scratch.scores, scratch.sums);
    sumMemory = view(scratch.sums, scratch.largest);
    if (chunk < p.keys) {
      largestMemory = view(scratch.largest, scratch.factors);
      factorMemory = view(scratch.factors, scratch.results);
    }
    resultMemory = view(scratch.results, scratch.values);
    valueMemory = isPacked ? view(scratch.values, scratch.end) : memoryOf(p.value);
    valueStride = isPacked ? p.valueSize : p.value.view.stride(first);
    elementStride = isPacked ? 1 : p.value.view.stride(first + 1);
  }

  void emit() {
    loop(function.begin(), function.end(), [&](Value task) {
      BlockPlace place = placeOf(task);
      if (isPacked) {
        packValues(task, place);
        place.value = index(0);
      }
      packQueries(place);
      forVectors(p.valueSize, machine.lanes(), [&](int64_t at, int64_t width) {
        columns.push_back({at, width, static_cast<int64_t>(columns.size()) * width});
      });
      if (chunk < p.keys) {
        emitChunks(place);
      } else {
        emitAllKeys(place);
      }
      store(place);
    });
    function.finish(p.heads() * blocks, isPacked ? blocks : 1);
  }

private:
  using Carried = Values;

  /// A vector of a result row.
  struct Column {
    int64_t first;
    int64_t width;
    /// The position in scratch memory. The last vector of a row overlaps the one before it in the
    /// result, but not in scratch memory, where both are sums.
    int64_t slot;
  };

  Value view(int64_t begin, int64_t end) { return function.scratchFloats(begin, end - begin); }

  Value memoryOf(const AttentionOperand &operand) {
    return function.operand(cast<BlockArgument>(operand.base).getArgNumber());
  }

  // Loops.

  /// Emits a loop over tiles of `size` keys that carries values, and the same code for the
  /// remaining keys.
  Carried forTiles(const KeyRange &range, int64_t size, Carried carried,
                   llvm::function_ref<Carried(const KeyRange &, ArrayRef<Value>)> body) {
    return unrolled(range.count, size, std::move(carried),
                    [&](Value i, int64_t count, const Carried &now) {
                      return body({add(range.first, i), count}, now);
                    });
  }

  // Places.

  /// Returns the offset of position `at` of a dimension.
  Value offset(const ViewDim &dim, Value at) {
    Value sum = index(0);
    int64_t inner = 1;
    for (size_t i = dim.size(); i-- > 0; inner *= dim[i].size) {
      Value digit = at;
      if (inner > 1) {
        digit = b.createOrFold<arith::DivUIOp>(digit, index(inner));
      }
      if (i > 0) {
        digit = b.createOrFold<arith::RemUIOp>(digit, index(dim[i].size));
      }
      sum = dim[i].stride == 0 ? sum : add(sum, mul(digit, dim[i].stride));
    }
    return sum;
  }

  Value headOffset(const StridedView &operand, ArrayRef<Value> lead) {
    Value sum = index(0);
    for (auto [dim, at] : llvm::zip(operand.dims(), lead)) {
      sum = add(sum, offset(dim, at));
    }
    return sum;
  }

  BlockPlace placeOf(Value task) {
    SmallVector<int64_t> shape(p.lead);
    shape.push_back(blocks);
    Lanes scalar(b, 1);
    BlockPlace place;
    for (const Index &at : scalar.delinearize(scalar.uniform(task), shape)) {
      place.lead.push_back(at.base);
    }
    Value own = mul(place.lead.pop_back_val(), block);
    place.firstQuery = min(own, p.queries - block);
    place.firstOwn = sub(own, place.firstQuery);
    place.query = headOffset(p.query.view, place.lead);
    place.key = headOffset(p.key.view, place.lead);
    place.value = headOffset(p.value.view, place.lead);
    place.result = headOffset(p.result, place.lead);
    return place;
  }

  /// Returns the index of score vector `vector` for one key.
  SmallVector<Index> scoreAt(const BlockPlace &place, int64_t vector, Value key) {
    SmallVector<Index> at;
    for (Value dim : place.lead) {
      at.push_back({dim, 0, {}});
    }
    at.push_back({add(place.firstQuery, vector * lanes), lanes > 1 ? 1 : 0, {}});
    at.push_back({key, 0, {}});
    return at;
  }

  /// Returns the place of score vector `vector` of a key in scratch memory.
  Value scoreSlot(const KeyRange &range, Value key, int64_t vector) {
    return add(mul(sub(key, range.first), block), vector * lanes);
  }

  // Passes over the keys.

  /// Computes the scores of all keys before the first exponential.
  void emitAllKeys(const BlockPlace &place) {
    Lanes l(b, lanes);
    Arithmetic a{l, ElementType::F32};
    KeyRange all{index(0), p.keys};
    Carried largest = emitScores(place, all, Carried(vectors, l.splat(a.lowest())));
    Carried sums = emitExponentials(place, all, largest, Carried(vectors, l.splat(a.number(0))));
    if (p.dividesLast()) {
      storeInverse(sums);
    } else {
      emitWeights(place, sums);
    }
    emitResults(place, all);
  }

  /// Computes the block chunk by chunk, so that the scores of a chunk stay in the first-level
  /// cache. The maxima, the sums and the results of the chunks so far are in scratch memory.
  void emitChunks(const BlockPlace &place) {
    Lanes l(b, lanes);
    Arithmetic a{l, ElementType::F32};
    // Not -inf: if all keys of a chunk are masked by -inf, the difference to the maximum must not
    // be NaN, because a later chunk may contain keys that are not masked.
    Value lowest = l.splat(a.number(std::numeric_limits<float>::lowest()));
    storeVectors(Carried(vectors, lowest), largestMemory);
    storeVectors(Carried(vectors, l.splat(a.number(0))), sumMemory);
    clearResults();
    loop(index(0), index(p.keys / chunk),
         [&](Value i) { emitNeededChunk(place, {mul(i, chunk), chunk}); });
    if (int64_t rest = p.keys % chunk) {
      emitNeededChunk(place, {index(p.keys - rest), rest});
    }
    storeInverse(loadVectors(sumMemory));
  }

  /// Adds a chunk unless the mask excludes all its keys for all queries of the block.
  void emitNeededChunk(const BlockPlace &place, const KeyRange &range) {
    if (!p.mask) {
      emitChunk(place, range);
      return;
    }
    branch(isAnyAllowed(place, range), [&] { emitChunk(place, range); });
  }

  /// Returns whether the mask allows a key of the chunk for a query of the block.
  Value isAnyAllowed(const BlockPlace &place, const KeyRange &range) {
    Lanes l(b, lanes);
    Arithmetic a{l, ElementType::F32};
    Carried found =
        forTiles(range, std::min(kStepKeys, range.count), {l.splat(a.number(0))},
                 [&](const KeyRange &step, ArrayRef<Value> now) {
                   Carried flags(now);
                   elements.width = lanes;
                   for (int64_t i = 0; i < step.count * vectors; ++i) {
                     Value key = add(step.first, i / vectors);
                     flags.push_back(allowedFlag(scoreAt(place, i % vectors, key)));
                   }
                   elements.width = 1;
                   return Carried{inPairs(flags, [&](Value x, Value y) { return larger(x, y); })};
                 });
    // The factors are not in use before the chunk.
    storeLanes(b, found[0], factorMemory, index(0));
    Lanes scalar(b, 1);
    Value zero = scalar.constantOf(b.getF32Type(), 0);
    Carried any = loop(lanes, {zero}, [&](Value lane, const Carried &now) {
      return Carried{larger(b.create<memref::LoadOp>(factorMemory, lane), now[0])};
    });
    return b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, any[0], zero);
  }

  /// Returns 1 in the lanes whose score the mask does not replace by -inf, and 0 in the others. Not
  /// an i1, because loops that carry a vector of i1 are slow on targets without mask registers.
  Value allowedFlag(ArrayRef<Index> at) {
    Lanes l(b, lanes);
    Arithmetic a{l, ElementType::F32};
    Value mask = elements.broadcast(p.mask, at);
    Value one = a.number(1), zero = a.number(0);
    if (!p.isMaskAdded) {
      return l.splat(l.select(mask, p.excludes ? zero : one, p.excludes ? one : zero));
    }
    Value isFinite = l.compare(arith::CmpFPredicate::UNE, mask, a.number(-HUGE_VAL));
    return l.splat(l.select(isFinite, one, zero));
  }

  /// Adds a chunk. exp(x - m) of the earlier chunks becomes exp(x - m') by the factor exp(m - m'),
  /// where m is the maximum before the chunk and m' the maximum after it.
  void emitChunk(const BlockPlace &place, const KeyRange &range) {
    Lanes l(b, lanes);
    Arithmetic a{l, ElementType::F32};
    Carried before = loadVectors(largestMemory);
    Carried sums = loadVectors(sumMemory);
    Carried largest = emitScores(place, range, before);
    Carried factors;
    for (int64_t v = 0; v < vectors; ++v) {
      factors.push_back(a.unary(graph::UnaryKind::Exp, a.sub(before[v], largest[v])));
      sums[v] = a.mul(sums[v], factors[v]);
    }
    storeVectors(factors, factorMemory);
    storeVectors(largest, largestMemory);
    storeVectors(emitExponentials(place, range, largest, sums), sumMemory);
    scaleResults();
    emitResults(place, range);
  }

  void scaleResults() {
    loop(index(0), index(block), [&](Value row) {
      Value factor = b.create<memref::LoadOp>(factorMemory, row);
      for (const Column &column : columns) {
        Lanes l(b, column.width);
        Arithmetic a{l, ElementType::F32};
        Value at = add(mul(row, slots), column.slot);
        Value x = loadLanes(b, resultMemory, at, column.width);
        storeLanes(b, a.mul(x, l.splat(factor)), resultMemory, at);
      }
    });
  }

  void storeInverse(ArrayRef<Value> sums) {
    Lanes l(b, lanes);
    Arithmetic a{l, ElementType::F32};
    Carried inverse;
    for (Value sum : sums) {
      inverse.push_back(a.div(l.splat(a.number(1)), sum));
    }
    storeVectors(inverse, sumMemory);
  }

  Carried loadVectors(Value memory) {
    Carried values;
    for (int64_t v = 0; v < vectors; ++v) {
      values.push_back(loadLanes(b, memory, index(v * lanes), lanes));
    }
    return values;
  }

  void storeVectors(ArrayRef<Value> values, Value memory) {
    for (auto [v, value] : llvm::enumerate(values)) {
      storeLanes(b, value, memory, index(static_cast<int64_t>(v) * lanes));
    }
  }

  // Copies.

  /// Copies the queries of the block, scaled, with adjacent queries in adjacent lanes.
  void packQueries(const BlockPlace &place) {
    int64_t queryStride = p.query.view.stride(first);
    Value start = add(place.query, mul(place.firstQuery, queryStride));
    if (p.query.view.stride(first + 1) == 1 && lanes > 1 &&
        lanes <= std::min(p.headSize, kMostTransposed)) {
      transposeQueries(start, queryStride);
      return;
    }
    Lanes l(b, lanes);
    Buffer memory{memoryOf(p.query), ElementType::F32};
    loop(index(0), index(p.headSize), [&](Value e) {
      Value from = add(start, mul(e, p.query.view.stride(first + 1)));
      for (int64_t v = 0; v < vectors; ++v) {
        Index at{add(from, v * lanes * queryStride), lanes > 1 ? queryStride : 0, {}};
        Value x = scaled(l.splat(load(l, memory, at)));
        storeLanes(b, x, queryMemory, add(mul(e, block), v * lanes));
      }
    });
  }

  Value scaled(Value x) {
    Lanes l(b, lanes);
    Arithmetic a{l, ElementType::F32};
    return p.factor == 1 ? x : a.mul(x, a.number(p.factor));
  }

  /// Transposes squares of `lanes` queries and elements in registers. The last square overlaps the
  /// one before it.
  void transposeQueries(Value start, int64_t queryStride) {
    Value memory = memoryOf(p.query);
    int64_t squares = kernels::ceilDiv(p.headSize, lanes);
    loop(index(0), index(squares), [&](Value square) {
      Value element = min(mul(square, lanes), p.headSize - lanes);
      for (int64_t v = 0; v < vectors; ++v) {
        SmallVector<Value> lines;
        for (int64_t i = 0; i < lanes; ++i) {
          Value from = add(add(start, element), (v * lanes + i) * queryStride);
          lines.push_back(scaled(loadLanes(b, memory, from, lanes)));
        }
        transpose(lines);
        for (int64_t i = 0; i < lanes; ++i) {
          storeLanes(b, lines[i], queryMemory, add(mul(add(element, i), block), v * lanes));
        }
      }
    });
  }

  /// Transposes a square of vectors. Step n exchanges bit n of the lane with bit n of the line.
  void transpose(MutableArrayRef<Value> lines) {
    for (int64_t step = 1; step < lanes; step *= 2) {
      SmallVector<int64_t> low, high;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        bool isUpper = (lane & step) != 0;
        low.push_back(isUpper ? lanes + lane - step : lane);
        high.push_back(isUpper ? lanes + lane : lane + step);
      }
      for (int64_t i = 0; i < lanes; ++i) {
        if ((i & step) == 0) {
          Value first = lines[i], second = lines[i + step];
          lines[i] = b.create<vector::ShuffleOp>(first, second, low);
          lines[i + step] = b.create<vector::ShuffleOp>(first, second, high);
        }
      }
    }
  }

  /// Copies the values of a head with adjacent elements in adjacent lanes, once per head.
  void packValues(Value task, const BlockPlace &place) {
    Value isFirst = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, task, function.begin());
    Value number = b.createOrFold<arith::RemUIOp>(task, index(blocks));
    Value isNew = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, number, index(0));
    branch(b.create<arith::OrIOp>(isFirst, isNew), [&] {
      Buffer memory{memoryOf(p.value), ElementType::F32};
      loop(index(0), index(p.keys), [&](Value key) {
        Value from = add(place.value, mul(key, p.value.view.stride(first)));
        forVectors(p.valueSize, machine.lanes(), [&](int64_t at, int64_t width) {
          int64_t stride = p.value.view.stride(first + 1);
          Lanes l(b, width);
          Value x = load(l, memory, {add(from, at * stride), width > 1 ? stride : 0, {}});
          storeLanes(b, l.splat(x), valueMemory, add(mul(key, p.valueSize), at));
        });
      });
    });
  }

  // Scores.

  /// Computes the scores of some keys and returns the maxima of them and `largest`, one per lane
  /// and vector.
  Carried emitScores(const BlockPlace &place, const KeyRange &range, Carried largest) {
    return forTiles(range, keys, std::move(largest),
                    [&](const KeyRange &tile, ArrayRef<Value> now) {
                      return emitScoreTile(place, range, tile, now);
                    });
  }

  Carried emitScoreTile(const BlockPlace &place, const KeyRange &range, const KeyRange &tile,
                        ArrayRef<Value> largest) {
    Carried sums = scoreProducts(place, tile.first, tile.count);
    Lanes l(b, lanes);
    Carried next;
    elements.width = lanes;
    for (int64_t v = 0; v < vectors; ++v) {
      Carried scores;
      for (int64_t i = 0; i < tile.count; ++i) {
        Value key = add(tile.first, i);
        SmallVector<Index> at = scoreAt(place, v, key);
        elements.provide(p.scores, at, sums[v * tile.count + i]);
        scores.push_back(l.splat(elements.element(p.input, at)));
        storeLanes(b, scores.back(), scoreMemory, scoreSlot(range, key, v));
      }
      Value most = inPairs(scores, [&](Value x, Value y) { return larger(x, y); });
      next.push_back(larger(most, largest[v]));
    }
    elements.width = 1;
    return next;
  }

  /// Returns the larger value, or `y` if one of them is NaN. A row with NaN needs no maximum: the
  /// exponential of NaN makes its sum NaN, and so all results of the row.
  Value larger(Value x, Value y) {
    Value isLarger = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, y);
    return b.create<arith::SelectOp>(isLarger, x, y);
  }

  /// Combines values in pairs, which shortens the chain of dependent operations.
  static Value inPairs(Carried values, llvm::function_ref<Value(Value, Value)> combine) {
    for (; values.size() > 1; values.resize((values.size() + 1) / 2)) {
      for (size_t i = 0; i < values.size() / 2; ++i) {
        values[i] = combine(values[i], values[values.size() - 1 - i]);
      }
    }
    return values[0];
  }

  /// Computes the products of `count` keys with the queries of the block.
  Carried scoreProducts(const BlockPlace &place, Value firstKey, int64_t count) {
    int64_t keyStride = p.key.view.stride(first + 1);
    Value start = add(place.key, mul(firstKey, keyStride));
    FloatMultiply product(b, {memoryOf(p.key), ElementType::F32}, {queryMemory, ElementType::F32},
                          lanes);
    RegisterTile tile(product, vectors, count);
    Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(product.type));
    return loop(p.headSize, Carried(count * vectors, zero), [&](Value e, Carried sums) {
      Value from = add(start, mul(e, p.key.view.stride(first)));
      auto queryAt = [&](int64_t, int64_t v) { return add(mul(e, block), v * lanes); };
      auto keyAt = [&](int64_t, int64_t i) { return add(from, i * keyStride); };
      return tile.accumulate(1, queryAt, keyAt, std::move(sums));
    });
  }

  // Softmax.

  /// Replaces the scores by their exponentials and returns `sums` plus the exponentials.
  Carried emitExponentials(const BlockPlace &place, const KeyRange &range, ArrayRef<Value> largest,
                           Carried sums) {
    return forTiles(range, std::min(kStepKeys, range.count), std::move(sums),
                    [&](const KeyRange &step, ArrayRef<Value> now) {
                      return exponentials(place, range, step, largest, now);
                    });
  }

  Carried exponentials(const BlockPlace &place, const KeyRange &range, const KeyRange &step,
                       ArrayRef<Value> largest, ArrayRef<Value> sums) {
    Lanes l(b, lanes);
    Arithmetic a{l, ElementType::F32};
    elements.width = lanes;
    Carried next;
    for (int64_t v = 0; v < vectors; ++v) {
      Carried parts;
      interleaveChains(b, step.count, [&](int64_t i) {
        Value key = add(step.first, i);
        Value to = scoreSlot(range, key, v);
        SmallVector<Index> at = scoreAt(place, v, key);
        elements.provide(p.input, at, loadLanes(b, scoreMemory, to, lanes));
        elements.provide(p.largest, at, largest[v]);
        parts.push_back(l.splat(elements.element(p.exponential, at)));
        storeLanes(b, parts.back(), scoreMemory, to);
      });
      Value sum = inPairs(parts, [&](Value x, Value y) { return a.add(x, y); });
      next.push_back(a.add(sums[v], sum));
    }
    elements.width = 1;
    return next;
  }

  /// Replaces the exponentials by the results of the ops that follow the softmax.
  void emitWeights(const BlockPlace &place, ArrayRef<Value> sums) {
    Lanes l(b, lanes);
    loop(index(0), index(p.keys), [&](Value key) {
      elements.width = lanes;
      for (int64_t v = 0; v < vectors; ++v) {
        Value to = add(mul(key, block), v * lanes);
        SmallVector<Index> at = scoreAt(place, v, key);
        elements.provide(p.exponential, at, loadLanes(b, scoreMemory, to, lanes));
        elements.provide(p.sum, at, sums[v]);
        storeLanes(b, l.splat(elements.element(p.weights, at)), scoreMemory, to);
      }
      elements.width = 1;
    });
  }

  // Results.

  /// Multiplies the weights with the values, in parts of the keys whose weights and values stay in
  /// the first-level cache while all tiles of rows read them.
  void emitResults(const BlockPlace &place, const KeyRange &range) {
    int64_t keyBytes = (p.valueSize + block) * 4;
    int64_t part = std::max(machine.firstCacheBytes / 2 / keyBytes, kLeastPart);
    part = kernels::ceilDiv(range.count, kernels::ceilDiv(range.count, part)); // equal parts
    if (range.count == p.keys && part < p.keys) {
      clearResults();
    }
    loop(index(0), index(kernels::ceilDiv(range.count, part)), [&](Value i) {
      KeyBounds bounds{mul(i, part), min(add(mul(i, part), part), range.count), range.first};
      auto group = columnVectors(rows, static_cast<int64_t>(columns.size()), machine);
      for (ArrayRef<Column> rest = columns; !rest.empty();
           rest = rest.drop_front(std::min<size_t>(group, rest.size()))) {
        ArrayRef<Column> own = rest.take_front(group);
        loop(index(0), index(block / rows), [&](Value tile) {
          emitResultTile(place, own, mul(tile, rows), bounds, /*isWhole=*/part == p.keys);
        });
      }
    });
  }

  void clearResults() {
    loop(index(0), index(block), [&](Value row) {
      for (const Column &column : columns) {
        storeLanes(b, zeroOf(column), resultMemory, add(mul(row, slots), column.slot));
      }
    });
  }

  Value zeroOf(const Column &column) {
    Lanes l(b, column.width);
    return l.splat(l.constantOf(b.getF32Type(), 0));
  }

  /// Adds the products of some keys to some columns of a tile of rows.
  void emitResultTile(const BlockPlace &place, ArrayRef<Column> own, Value firstRow,
                      const KeyBounds &bounds, bool isWhole) {
    auto resultAt = [&](int64_t row, const Column &column) {
      return add(mul(add(firstRow, row), slots), column.slot);
    };
    Carried initial;
    for (int64_t row = 0; row < rows; ++row) {
      for (const Column &column : own) {
        initial.push_back(isWhole
                              ? zeroOf(column)
                              : loadLanes(b, resultMemory, resultAt(row, column), column.width));
      }
    }
    Carried sums = loop(bounds.begin, bounds.end, initial, [&](Value slot, Carried now) {
      Value key = add(bounds.offset, slot);
      return addValues(place, own, slot, key, firstRow, std::move(now));
    });
    for (int64_t row = 0; row < rows; ++row) {
      for (auto [i, column] : llvm::enumerate(own)) {
        storeLanes(b, sums[row * own.size() + i], resultMemory, resultAt(row, column));
      }
    }
  }

  /// `slot` is the number of the key in the scores in scratch memory.
  Carried addValues(const BlockPlace &place, ArrayRef<Column> own, Value slot, Value key,
                    Value firstRow, Carried next) {
    Value from = add(place.value, mul(key, valueStride));
    Carried loaded;
    for (const Column &column : own) {
      Lanes l(b, column.width);
      Index at{add(from, column.first * elementStride), column.width > 1 ? elementStride : 0, {}};
      loaded.push_back(l.splat(load(l, {valueMemory, ElementType::F32}, at)));
    }
    Value weights = add(mul(slot, block), firstRow);
    for (int64_t row = 0; row < rows; ++row) {
      Value weight = b.create<memref::LoadOp>(scoreMemory, add(weights, row));
      for (auto [i, column] : llvm::enumerate(own)) {
        Lanes l(b, column.width);
        Value &sum = next[row * own.size() + i];
        sum = l.fma(l.splat(weight), loaded[i], sum);
      }
    }
    return next;
  }

  /// Multiplies the results by the inverse sums of their rows and stores the rows of this task.
  void store(const BlockPlace &place) {
    Buffer memory{function.result(0), ElementType::F32};
    loop(place.firstOwn, index(block), [&](Value row) {
      Value query = add(place.firstQuery, row);
      Value to = add(place.result, mul(query, p.result.stride(first)));
      int64_t stride = p.result.stride(first + 1);
      Value inverse;
      if (p.dividesLast()) {
        inverse = b.create<memref::LoadOp>(sumMemory, row);
      }
      for (const Column &column : columns) {
        Lanes l(b, column.width);
        Arithmetic a{l, ElementType::F32};
        Value from = add(mul(row, slots), column.slot);
        Value x = loadLanes(b, resultMemory, from, column.width);
        x = inverse ? a.mul(x, inverse) : x;
        Index at{add(to, column.first * stride), column.width > 1 ? stride : 0, {}};
        kernels::store(l, memory, at, x);
      }
    });
  }

  KernelFunction &function;
  const AttentionProblem &p;
  const Machine &machine;
  KernelEmitter elements;
  int64_t block, keys, chunk, vectors, lanes, rows;
  bool isPacked;
  int64_t first; // the dimension of views after the leading ones
  int64_t blocks;
  int64_t slots; // elements of a result row in scratch memory
  Value queryMemory, scoreMemory, sumMemory, largestMemory, factorMemory, resultMemory, valueMemory;
  int64_t valueStride, elementStride;
  SmallVector<Column> columns;
};

} // namespace

LogicalResult lowerAttention(task::KernelOp kernel, const AttentionProblem &problem,
                             AttentionAttr config, const Machine &machine) {
  KernelFunction function(kernel, Scratch(problem, config, machine).end * 4);
  AttentionEmitter(function, problem, config, machine).emit();
  return success();
}

} // namespace convoy::kernels
