// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Attention.td documents. Lanes of the scores are queries, so a maximum or
// a sum along the keys needs no operation between lanes, and the keys are scalars that need no
// copy. Lanes of the results are elements of a head. The generic emitters compute the score ops.

#include "Kernels/Attention/AttentionEmitter.h"
#include "Kernels/Loops/Arithmetic.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <limits>

using namespace mlir;

namespace convoy::kernels::attention {

AttentionEmitter::AttentionEmitter(KernelFunction &function, const AttentionProblem &p,
                                   AttentionAttr config, const Machine &machine)
    : LoopNest(function.b), function(function), p(p), machine(machine),
      elements(function.b, machine.vectorBytes), block(config.getQueries()), keys(config.getKeys()),
      chunk(config.getChunk()), vectors(config.getVectors()), lanes(block / vectors),
      rows(config.getUnroll()), isPacked(config.getPack() != 0),
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

void AttentionEmitter::emit() {
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

Value AttentionEmitter::memoryOf(const AttentionOperand &operand) {
  return function.operand(operand.base);
}

/// Emits a loop over tiles of `size` keys that carries values, and the same code for the
/// remaining keys.
Carried
AttentionEmitter::forTiles(const KeyRange &range, int64_t size, Carried carried,
                           llvm::function_ref<Carried(const KeyRange &, ArrayRef<Value>)> body) {
  return unrolled(range.count, size, std::move(carried),
                  [&](Value i, int64_t count, const Carried &now) {
                    return body({add(range.first, i), count}, now);
                  });
}

/// Returns the offset of position `at` of a dimension.
Value AttentionEmitter::offset(const ViewDim &dim, Value at) {
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

Value AttentionEmitter::headOffset(const StridedView &operand, ArrayRef<Value> lead) {
  Value sum = index(0);
  for (auto [dim, at] : llvm::zip(operand.dims(), lead)) {
    sum = add(sum, offset(dim, at));
  }
  return sum;
}

BlockPlace AttentionEmitter::placeOf(Value task) {
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
SmallVector<Index> AttentionEmitter::scoreAt(const BlockPlace &place, int64_t vector, Value key) {
  SmallVector<Index> at;
  for (Value dim : place.lead) {
    at.push_back({dim, 0, {}});
  }
  at.push_back({add(place.firstQuery, vector * lanes), lanes > 1 ? 1 : 0, {}});
  at.push_back({key, 0, {}});
  return at;
}

/// Returns the place of score vector `vector` of a key in scratch memory.
Value AttentionEmitter::scoreSlot(const KeyRange &range, Value key, int64_t vector) {
  return add(mul(sub(key, range.first), block), vector * lanes);
}

/// Computes the scores of all keys before the first exponential.
void AttentionEmitter::emitAllKeys(const BlockPlace &place) {
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
void AttentionEmitter::emitChunks(const BlockPlace &place) {
  Arithmetic a{Lanes(b, lanes), ElementType::F32};
  // Not -inf: if all keys of a chunk are masked by -inf, the difference to the maximum must not
  // be NaN, because a later chunk may contain keys that are not masked.
  Value lowest = a.lanes.splat(a.number(std::numeric_limits<float>::lowest()));
  storeVectors(Carried(vectors, lowest), largestMemory);
  storeVectors(Carried(vectors, a.lanes.splat(a.number(0))), sumMemory);
  clearResults();
  loop(index(0), index(p.keys / chunk),
       [&](Value i) { emitNeededChunk(place, {mul(i, chunk), chunk}); });
  if (int64_t rest = p.keys % chunk) {
    emitNeededChunk(place, {index(p.keys - rest), rest});
  }
  storeInverse(loadVectors(sumMemory));
}

/// Adds a chunk unless the mask excludes all its keys for all queries of the block.
void AttentionEmitter::emitNeededChunk(const BlockPlace &place, const KeyRange &range) {
  if (!p.mask) {
    emitChunk(place, range);
    return;
  }
  branch(isAnyAllowed(place, range), [&] { emitChunk(place, range); });
}

/// Adds a chunk. exp(x - m) of the earlier chunks becomes exp(x - m') by the factor exp(m - m'),
/// where m is the maximum before the chunk and m' the maximum after it.
void AttentionEmitter::emitChunk(const BlockPlace &place, const KeyRange &range) {
  Arithmetic a{Lanes(b, lanes), ElementType::F32};
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

void AttentionEmitter::scaleResults() {
  loop(index(0), index(block), [&](Value row) {
    Value factor = b.create<memref::LoadOp>(factorMemory, row);
    for (const Column &column : columns) {
      Arithmetic a{Lanes(b, column.width), ElementType::F32};
      Value at = add(mul(row, slots), column.slot);
      Value x = loadLanes(b, resultMemory, at, column.width);
      storeLanes(b, a.mul(x, a.lanes.splat(factor)), resultMemory, at);
    }
  });
}

void AttentionEmitter::storeInverse(ArrayRef<Value> sums) {
  Arithmetic a{Lanes(b, lanes), ElementType::F32};
  Carried inverse;
  for (Value sum : sums) {
    inverse.push_back(a.div(a.lanes.splat(a.number(1)), sum));
  }
  storeVectors(inverse, sumMemory);
}

Carried AttentionEmitter::loadVectors(Value memory) {
  Carried values;
  for (int64_t v = 0; v < vectors; ++v) {
    values.push_back(loadLanes(b, memory, index(v * lanes), lanes));
  }
  return values;
}

void AttentionEmitter::storeVectors(ArrayRef<Value> values, Value memory) {
  for (auto [v, value] : llvm::enumerate(values)) {
    storeLanes(b, value, memory, index(static_cast<int64_t>(v) * lanes));
  }
}

} // namespace convoy::kernels::attention

namespace convoy::kernels {

LogicalResult lowerAttention(task::KernelOp kernel, const AttentionProblem &problem,
                             AttentionAttr config, const Machine &machine) {
  KernelFunction function(kernel, attention::Scratch(problem, config, machine).end * 4);
  attention::AttentionEmitter(function, problem, config, machine).emit();
  return success();
}

} // namespace convoy::kernels
