// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Recurrent.td documents. Values that a product reads or writes, states
// and slices of scanned inputs are in scratch memory; the generic emitters compute all other values
// of a step on demand.

#include "Kernels/CeilDiv.h"
#include "Kernels/IndexMath.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Recurrent/Recurrent.h"
#include "Kernels/Recurrent/ScanKernel.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Assigns scratch memory to values of the body. Each value has all rows of the batch, so offsets
/// are those of its tensor.
struct ScratchPlan {
  ScratchPlan(ScanKernel &kernel, int64_t lanes) {
    for (BlockArgument argument : kernel.body().getArguments()) {
      place(argument, 0);
    }
    for (unsigned i = 0; i < kernel.states(); ++i) {
      next.push_back(allot(kernel.body().getArgument(i), 0));
    }
    for (graph::MatMulOp product : kernel.products) {
      place(product.getLhs(), 0);
      place(product.getResult(), lanes);
    }
  }

  llvm::MapVector<Value, int64_t> first; // byte offsets
  SmallVector<int64_t> next;             // byte offsets of the next states
  int64_t bytes = 0;

private:
  void place(Value value, int64_t slack) {
    if (!first.count(value)) {
      first[value] = allot(value, slack);
    }
  }
  int64_t allot(Value value, int64_t slack) {
    constexpr int64_t kLineBytes = 64;
    int64_t start = bytes;
    int64_t element = storageBytes(fromMlir(typeOf(value).getElementType()));
    bytes += ceilDiv((typeOf(value).getNumElements() + slack) * element, kLineBytes) * kLineBytes;
    return start;
  }
};

class RecurrentEmitter : private IndexMath {
public:
  RecurrentEmitter(KernelFunction &function, ScanKernel &kernel, RecurrentAttr config,
                   int64_t vectorBytes, int64_t lanes, const ScratchPlan &plan)
      : IndexMath(function.b), function(function), kernel(kernel), config(config), plan(plan),
        elements(function.b, vectorBytes), lanes(lanes), rows(config.getUnroll()),
        vector(VectorType::get({lanes}, function.b.getF32Type())) {
    function.bindOperands(elements);
    for (auto [value, offset] : plan.first) {
      scratch[value] = memoryAt(value, offset);
    }
    for (auto [i, offset] : llvm::enumerate(plan.next)) {
      next.push_back(memoryAt(kernel.body().getArgument(i), offset));
    }
    for (BlockArgument argument : kernel.body().getArguments()) {
      elements.bind(argument, scratch[argument]);
    }
  }

  int64_t emit() {
    forEach(function.begin(), function.end(), [&](Value task) {
      firstRow = mul(task, rows);
      for (auto [i, state] : llvm::enumerate(kernel.scan.getStates())) {
        copyRows(operand(state), {}, scratch[kernel.body().getArgument(i)], state.getType());
      }
      forEach(index(0), index(kernel.steps), [&](Value step) { emitStep(step); });
      storeStates();
    });
    return kernel.batch / rows;
  }

private:
  void forEach(Value low, Value high, llvm::function_ref<void(Value)> body) {
    elements.loop(low, high, {}, [&](Value i, ValueRange) {
      body(i);
      return SmallVector<Value>();
    });
  }

  /// Returns a scratch buffer that extends to the end of the scratch memory.
  Buffer memoryAt(Value value, int64_t offset) {
    ElementType element = elements.type(value);
    int64_t count = (plan.bytes - offset) / storageBytes(element);
    auto type = MemRefType::get({count}, storageType(element, b.getContext()));
    return {b.create<memref::ViewOp>(type, function.scratch(), index(offset), ValueRange()),
            element};
  }
  Buffer operand(Value argument) { return elements.buffer(argument); }

  /// Emits loops over the elements of this task's rows of a matrix.
  void nest(Type matrix, llvm::function_ref<void(Lanes &, ArrayRef<Index>)> body) {
    auto type = cast<RankedTensorType>(matrix);
    elements.wholeNest({rows, type.getShape().back()}, fromMlir(type.getElementType()), 0,
                       [&](ArrayRef<Index> at) {
                         Lanes l = elements.lanes();
                         body(l, {l.add(at[0], l.uniform(firstRow)), at[1]});
                       });
  }

  /// Copies this task's rows of a matrix that starts at element `start` of `from`.
  void copyRows(const Buffer &from, Value start, const Buffer &to, Type matrix) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(matrix).getShape().take_back(2);
    nest(matrix, [&](Lanes &l, ArrayRef<Index> at) {
      Index offset = l.linearize(at, shape);
      Index source = start ? l.add(offset, l.uniform(start)) : offset;
      store(l, to, offset, load(l, from, source));
    });
  }

  void emitStep(Value step);
  void emitProduct(graph::MatMulOp op);
  void emitPanel(graph::MatMulOp op, Value panel, int64_t vectors);
  void accumulate(graph::MatMulOp op, Value depth, Value panel, int64_t count,
                  SmallVector<Value> &sums);
  void emitYield(Value step);
  void storeStates();
  Value positionOf(Value step, bool isReverse) {
    return isReverse ? subProduct(kernel.steps - 1, step, 1) : step;
  }
  /// Returns the memory of a result of the scan, or nullopt if the kernel does not return it.
  std::optional<Buffer> resultOf(unsigned i) {
    for (auto [n, value] : llvm::enumerate(function.body().getTerminator()->getOperands())) {
      if (value == kernel.scan.getResult(i)) {
        return Buffer{function.result(n), elements.type(value)};
      }
    }
    return std::nullopt;
  }

  KernelFunction &function;
  ScanKernel &kernel;
  RecurrentAttr config;
  const ScratchPlan &plan;
  KernelEmitter elements;
  int64_t lanes;
  int64_t rows;
  VectorType vector;
  llvm::DenseMap<Value, Buffer> scratch;
  SmallVector<Buffer> next;
  Value firstRow;
};

void RecurrentEmitter::emitStep(Value step) {
  for (auto [i, scanned] : llvm::enumerate(kernel.scan.getScanned())) {
    BlockArgument slice = kernel.body().getArgument(kernel.states() + i);
    Value position = positionOf(step, kernel.scan.getInputReverse()[i]);
    copyRows(operand(scanned), mul(position, typeOf(slice).getNumElements()), scratch[slice],
             slice.getType());
  }
  for (graph::MatMulOp product : kernel.products) {
    emitProduct(product);
    elements.bind(product.getResult(), scratch[product.getResult()]);
  }
  emitYield(step);
}

void RecurrentEmitter::emitProduct(graph::MatMulOp op) {
  Value input = op.getLhs();
  if (!elements.isInMemory(input)) {
    nest(input.getType(), [&](Lanes &l, ArrayRef<Index> at) {
      Value element = elements.element(input, at);
      store(l, scratch[input], elements.offset(input, at), element);
    });
    elements.bind(input, scratch[input]);
  }
  int64_t columns = typeOf(op.getResult()).getDimSize(1);
  int64_t width = config.getVectors() * lanes;
  int64_t full = columns / width;
  // The last vector of a row may extend beyond the row. The stores that follow overwrite its
  // excess: the next row of the same panel, then the full panels.
  if (columns % width != 0) {
    emitPanel(op, index(full), kernels::ceilDiv(columns % width, lanes));
  }
  if (full > 0) {
    forEach(index(0), index(full), [&](Value panel) { emitPanel(op, panel, config.getVectors()); });
  }
}

void RecurrentEmitter::emitPanel(graph::MatMulOp op, Value panel, int64_t vectors) {
  int64_t depth = typeOf(op.getLhs()).getDimSize(1);
  int64_t columns = typeOf(op.getResult()).getDimSize(1);
  int64_t unrolled = std::min(config.getDepth(), depth);
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(vector));
  SmallVector<Value> sums(rows * vectors, zero);
  sums = elements.loop(depth / unrolled, sums, [&](Value i, ValueRange carried) {
    SmallVector<Value> inner(carried);
    accumulate(op, mul(i, unrolled), panel, unrolled, inner);
    return inner;
  });
  accumulate(op, index(depth / unrolled * unrolled), panel, depth % unrolled, sums);
  Value to = scratch[op.getResult()].memref;
  Value column = mul(panel, config.getVectors() * lanes);
  for (int64_t row = 0; row < rows; ++row) {
    Value start = add(mul(add(firstRow, row), columns), column);
    for (int64_t v = 0; v < vectors; ++v) {
      b.create<vector::StoreOp>(sums[row * vectors + v], to, add(start, v * lanes));
    }
  }
}

/// The micro-kernel: sums += `count` elements of each row times their rows of the panel.
void RecurrentEmitter::accumulate(graph::MatMulOp op, Value depth, Value panel, int64_t count,
                                  SmallVector<Value> &sums) {
  int64_t width = config.getVectors() * lanes;
  int64_t allDepth = typeOf(op.getLhs()).getDimSize(1);
  int64_t vectors = static_cast<int64_t>(sums.size()) / rows;
  Value weights = operand(op.getRhs()).memref;
  Value input = scratch[op.getLhs()].memref;
  Value place = mul(add(mul(panel, allDepth), depth), width);
  for (int64_t k = 0; k < count; ++k) {
    SmallVector<Value> loaded;
    for (int64_t v = 0; v < vectors; ++v) {
      Value offset = add(place, k * width + v * lanes);
      loaded.push_back(b.create<vector::LoadOp>(vector, weights, offset));
    }
    for (int64_t row = 0; row < rows; ++row) {
      Value offset = add(add(mul(add(firstRow, row), allDepth), depth), k);
      Value scalar = b.create<memref::LoadOp>(input, offset);
      Value spread = b.create<vector::BroadcastOp>(vector, scalar);
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = sums[row * vectors + v];
        sum = b.create<math::FmaOp>(loaded[v], spread, sum);
      }
    }
  }
}

/// Computes the yielded values. The next states are copied to the states after all loops that read
/// the states, because the last vector of a row may overlap the previous one.
void RecurrentEmitter::emitYield(Value step) {
  Operation *yield = kernel.body().getTerminator();
  SmallVector<std::optional<Buffer>> results;
  for (unsigned i = 0; i < yield->getNumOperands(); ++i) {
    results.push_back(i < kernel.states() ? next[i] : resultOf(i));
  }
  nest(yield->getOperand(0).getType(), [&](Lanes &l, ArrayRef<Index> at) {
    Index offset = l.linearize(at, kernel.yieldShape());
    for (auto [i, to] : llvm::enumerate(results)) {
      if (!to) {
        continue;
      }
      Index place = offset;
      if (i >= kernel.states()) {
        Value position = positionOf(step, kernel.scan.getOutputReverse()[i - kernel.states()]);
        int64_t count = typeOf(yield->getOperand(i)).getNumElements();
        place = l.add(offset, l.uniform(mul(position, count)));
      }
      store(l, *to, place, elements.element(yield->getOperand(i), at));
    }
  });
  for (unsigned i = 0; i < kernel.states(); ++i) {
    BlockArgument state = kernel.body().getArgument(i);
    copyRows(next[i], {}, scratch[state], state.getType());
  }
}

void RecurrentEmitter::storeStates() {
  for (unsigned i = 0; i < kernel.states(); ++i) {
    BlockArgument state = kernel.body().getArgument(i);
    if (std::optional<Buffer> result = resultOf(i)) {
      copyRows(scratch[state], {}, *result, state.getType());
    }
  }
}

} // namespace

LogicalResult lowerRecurrent(func::FuncOp kernel, RecurrentAttr config, const Machine &machine) {
  ScanMatch match = matchScanKernel(kernel.getBody().front());
  auto layout = match.kernel ? dyn_cast_or_null<ConvWeightsAttr>(
                                   graph::layoutOf(match.kernel->products[0].getRhs().getType()))
                             : ConvWeightsAttr();
  if (!layout || match.kernel->batch % config.getUnroll() != 0 ||
      layout.getO() % config.getVectors() != 0) {
    return kernel.emitOpError("has the configuration ")
           << config
           << ", but no scan that the template supports; this is a bug in convoy's layout stage";
  }
  int64_t lanes = layout.getO() / config.getVectors();
  ScratchPlan plan(*match.kernel, lanes);
  KernelFunction function(kernel, plan.bytes);
  RecurrentEmitter emitter(function, *match.kernel, config, machine.vectorBytes, lanes, plan);
  function.finish(emitter.emit());
  return success();
}

} // namespace convoy::kernels
