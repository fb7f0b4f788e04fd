// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Rows.td documents. KernelEmitter computes the elements; this file
// provides the results of the reductions and the kept values.
//
// The last vector of a row overlaps the vector before it if the length of the row is not a multiple
// of the vector. A pass reads the last vector first and stores it last, so the result may share
// memory with an operand:
//
//     row of 21 elements, vectors of 8     [0..7] [8..15] [13..20]
//     sums ignore                                          13..15

#include "Kernels/Core/LaneMemory.h"
#include "Kernels/Core/LoopNest.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Loops/Reductions.h"
#include "Kernels/Rows/RowProblem.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Bytes of an element of a kept value, which has the type of registers.
int64_t keptBytes(Value value) {
  return cast<TensorType>(value.getType()).getElementType().isF64() ? 8 : 4;
}

/// Bytes of a row of a kept value. Rows start at a multiple of the alignment of tensors.
int64_t keptRowBytes(const RowProblem &problem, Value value) {
  constexpr int64_t kAlignment = 64;
  return llvm::divideCeil(problem.length() * keptBytes(value), kAlignment) * kAlignment;
}

int64_t scratchBytes(const RowProblem &problem, int64_t rows) {
  int64_t bytes = 0;
  for (Value value : problem.kept) {
    bytes += keptRowBytes(problem, value) * rows;
  }
  return bytes;
}

class RowsEmitter {
public:
  RowsEmitter(KernelFunction &function, const RowProblem &problem, RowsAttr config,
              int64_t vectorBytes)
      : function(function), b(function.b), problem(problem), config(config), math(b),
        elements(b, vectorBytes), width(problem.width(vectorBytes)) {
    function.bindOperands(elements);
    elements.setCollapse(problem.collapse);
  }

  /// Returns the number of steps of the range.
  int64_t emit() {
    openKept();
    math.loop(function.begin(), function.end(), [&](Value step) { emitRows(step); });
    return problem.rows() / config.getRows();
  }

private:
  /// The accumulators of a pass. Without an index of a vector: one per reduction and row.
  using Sums = SmallVector<Value>;
  /// The place of a vector in a row.
  struct Place {
    ArrayRef<Value> outer; // indices of the outer dimensions of a row
    Value first;           // index of the first element along the inner dimension
    int64_t vector = 0;    // the number of the accumulator
    bool isTail = false;   // overlaps the vector before it
  };
  /// An element of a result to store at the end of a row.
  struct Pending {
    unsigned result;
    Index offset;
    Value element;
  };

  void openKept() {
    int64_t offset = 0;
    for (Value value : problem.kept) {
      ElementType type = keptBytes(value) == 8 ? ElementType::F64 : ElementType::F32;
      auto memory = MemRefType::get({problem.length()}, storageType(type, b.getContext()));
      SmallVector<Buffer> &own = keptMemory.emplace_back();
      for (int64_t row = 0; row < config.getRows(); ++row) {
        Value view =
            b.create<memref::ViewOp>(memory, function.scratch(), math.index(offset), ValueRange());
        own.push_back({view, type});
        offset += keptRowBytes(problem, value);
      }
    }
  }

  void emitRows(Value step) {
    Lanes scalar(b, 1);
    rows.clear();
    for (int64_t row = 0; row < config.getRows(); ++row) {
      Value number = math.add(math.mul(step, config.getRows()), row);
      rows.push_back(scalar.delinearize(scalar.uniform(number), problem.leading));
    }
    elements.width = width;
    for (const RowPass &pass : problem.passes) {
      emitPass(pass);
    }
    storeRowResults();
    elements.width = 1;
  }

  void emitPass(const RowPass &pass) {
    Value zero = math.index(0);
    SmallVector<Value> zeros(problem.outer.size(), zero);
    for (Value value : pass.rowValues) {
      for (int64_t row = 0; row < config.getRows(); ++row) {
        (void)elements.element(value, indicesAt({zeros, zero}, row));
      }
    }
    computeReciprocals(pass);
    Sums sums = elements.loops(problem.outer, starts(pass, /*isNarrow=*/false),
                               [&](ArrayRef<Value> outer, ValueRange carried) {
                                 return emitAlong(pass, outer, Sums(carried));
                               });
    finishReductions(pass, sums);
  }

  void storeRowResults() {
    Lanes scalar(b, 1);
    Value zero = math.index(0);
    for (unsigned result : problem.rowResults) {
      for (int64_t row = 0; row < config.getRows(); ++row) {
        SmallVector<Value> outer(problem.outer.size(), zero);
        SmallVector<Index> at = indicesAt({outer, zero}, row);
        Value element = elements.element(yielded(result), at);
        Index offset = scalar.linearize(rows[row], problem.leading);
        store(scalar, {function.result(result), elements.type(yielded(result))}, offset, element);
      }
    }
  }

  /// Emits the inner dimension: the overlapping vector, the loop, and the vectors after the loop.
  Sums emitAlong(const RowPass &pass, ArrayRef<Value> outer, Sums wide) {
    int64_t step = width * config.getVectors();
    Sums narrow = starts(pass, /*isNarrow=*/true);
    if (problem.inner % width != 0) {
      visit(pass, {outer, math.index(problem.inner - width), 0, /*isTail=*/true}, narrow);
    }
    wide = emitMain(pass, outer, narrow, std::move(wide));
    int64_t done = problem.inner / step * step;
    for (int64_t vector = 0; done + (vector + 1) * width <= problem.inner; ++vector) {
      visit(pass, {outer, math.index(done + vector * width), vector}, narrow);
    }
    storePending();
    return merge(pass, narrow, wide);
  }

  /// Emits the loop over the vectors that fill all accumulators. If the narrow sums would have too
  /// many terms, the loop adds them to the wide sums from time to time.
  Sums emitMain(const RowPass &pass, ArrayRef<Value> outer, Sums &narrow, Sums wide) {
    int64_t step = width * config.getVectors();
    int64_t steps = problem.inner / step;
    auto body = [&](Value i, ValueRange carried) {
      Sums sums(carried);
      for (int64_t vector = 0; vector < config.getVectors(); ++vector) {
        visit(pass, {outer, math.add(math.mul(i, step), vector * width), vector}, sums);
      }
      return sums;
    };
    bool hasNarrow = llvm::any_of(pass.reductions, [&](graph::ReduceOp reduce) {
      return narrowType(reduce) != wideType(reduce);
    });
    int64_t terms = config.getTerms();
    if (!hasNarrow || steps <= terms) {
      if (steps > 0) {
        narrow = elements.loop(steps, narrow, body);
      }
      return wide;
    }
    return elements.loop(llvm::divideCeil(steps, terms), wide, [&](Value i, ValueRange carried) {
      Value lower = math.mul(i, terms);
      Value upper = math.min(math.add(lower, terms), steps);
      Sums part = elements.loop(lower, upper, starts(pass, /*isNarrow=*/true), body);
      return merge(pass, part, Sums(carried));
    });
  }

  void visit(const RowPass &pass, const Place &place, MutableArrayRef<Value> sums) {
    for (int64_t row = 0; row < config.getRows(); ++row) {
      visitRow(pass, place, row, sums);
    }
  }

  void visitRow(const RowPass &pass, const Place &place, int64_t row, MutableArrayRef<Value> sums) {
    SmallVector<Index> at = indicesAt(place, row);
    Lanes lanes = elements.lanes();
    SmallVector<Index> inRow(ArrayRef<Index>(at).drop_front(problem.leading.size()));
    Shape rowShape(problem.outer);
    rowShape.push_back(problem.inner);
    Index offset = lanes.linearize(inRow, rowShape);
    for (unsigned number : pass.loaded) {
      elements.provide(problem.kept[number], at, load(lanes, keptMemory[number][row], offset));
    }
    multiplyByReciprocals(pass, at, row);
    for (auto [i, op] : llvm::enumerate(pass.reductions)) {
      graph::ReduceOp reduce = op;
      ElementType type = narrowType(reduce);
      Arithmetic a{lanes, type};
      Value x = elements.element(reduce.getInput(), at);
      x = convert(lanes, x, elements.type(reduce.getInput()), type);
      Value term = termOf(a, reduce.getKind(), x, {});
      term = place.isTail ? maskTail(reduce, term) : term;
      Value &sum = sums[(i * config.getRows() + row) * config.getVectors() + place.vector];
      sum = addTerm(a, reduce.getKind(), sum, term);
    }
    for (unsigned number : pass.stored) {
      Value element = elements.element(problem.kept[number], at);
      store(lanes, keptMemory[number][row], offset, element);
    }
    for (unsigned result : pass.results) {
      Value value = yielded(result);
      Pending element{result, elements.offset(value, at), elements.element(value, at)};
      if (place.isTail) {
        pending.push_back(element);
      } else {
        storeElement(element);
      }
    }
  }

  /// Replaces the terms that the vector before this one contains.
  Value maskTail(graph::ReduceOp reduce, Value term) {
    if (reduce.getKind() == graph::ReduceKind::Max || reduce.getKind() == graph::ReduceKind::Min) {
      return term; // Comparing an element twice does not change the result.
    }
    SmallVector<bool> isNew(width, true);
    std::fill_n(isNew.begin(), width - problem.inner % width, false);
    auto type = VectorType::get({width}, b.getI1Type());
    Value mask = b.create<arith::ConstantOp>(DenseElementsAttr::get(type, ArrayRef<bool>(isNew)));
    Arithmetic a{elements.lanes(), narrowType(reduce)};
    return a.lanes.select(mask, term, startOf(a, reduce.getKind()));
  }

  /// Combines the accumulators of the vectors pairwise and adds them to the wide accumulators.
  Sums merge(const RowPass &pass, ArrayRef<Value> narrow, ArrayRef<Value> wide) {
    Sums result;
    int64_t vectors = config.getVectors();
    for (auto [i, op] : llvm::enumerate(pass.reductions)) {
      graph::ReduceOp reduce = op;
      Arithmetic part{elements.lanes(), narrowType(reduce)};
      Arithmetic whole{part.lanes, wideType(reduce)};
      for (int64_t row = 0; row < config.getRows(); ++row) {
        size_t own = i * config.getRows() + row;
        Sums parts(narrow.slice(own * vectors, vectors));
        while (parts.size() > 1) {
          Sums next;
          for (size_t j = 0; j + 1 < parts.size(); j += 2) {
            next.push_back(addTerm(part, reduce.getKind(), parts[j], parts[j + 1]));
          }
          if (parts.size() % 2 != 0) {
            next.push_back(parts.back());
          }
          parts = next;
        }
        Value sum = convert(part.lanes, part.lanes.splat(parts[0]), part.type, whole.type);
        result.push_back(addTerm(whole, reduce.getKind(), wide[own], sum));
      }
    }
    return result;
  }

  /// Combines the lanes of an accumulator by halves.
  Value acrossLanes(graph::ReduceOp reduce, Value sum) {
    return foldLanes(b, sum, [&](Value low, Value high) {
      auto type = dyn_cast<VectorType>(low.getType());
      Arithmetic a{Lanes(b, type ? type.getNumElements() : 1), wideType(reduce)};
      return addTerm(a, reduce.getKind(), low, high);
    });
  }

  /// Computes the results of the reductions and provides them to the next passes.
  void finishReductions(const RowPass &pass, ArrayRef<Value> wide) {
    Lanes scalar(b, 1);
    Value zero = math.index(0);
    SmallVector<Value> zeros(problem.outer.size(), zero);
    for (auto [i, op] : llvm::enumerate(pass.reductions)) {
      graph::ReduceOp reduce = op;
      ElementType given = elements.type(reduce.getInput());
      Arithmetic a{scalar, wideType(reduce)};
      for (int64_t row = 0; row < config.getRows(); ++row) {
        Value sum = acrossLanes(reduce, wide[i * config.getRows() + row]);
        Value result = finishTerms(a, reduce.getKind(), sum, problem.length(), {});
        result = roundTo(scalar, given, convert(scalar, result, a.type, given));
        elements.provide(reduce.getResult(), indicesAt({zeros, zero}, row), result);
      }
    }
  }

  Sums starts(const RowPass &pass, bool isNarrow) {
    Sums sums;
    for (graph::ReduceOp reduce : pass.reductions) {
      Arithmetic a{elements.lanes(), isNarrow ? narrowType(reduce) : wideType(reduce)};
      Value start = a.lanes.splat(startOf(a, reduce.getKind()));
      sums.append(config.getRows() * (isNarrow ? config.getVectors() : 1), start);
    }
    return sums;
  }

  /// Provides the quotients of the pass. The pass found the outer divisions of an expression first.
  void multiplyByReciprocals(const RowPass &pass, ArrayRef<Index> at, int64_t row) {
    Lanes lanes = elements.lanes();
    for (size_t i = reciprocals.size(); i > 0; --i) {
      graph::BinaryOp division = pass.divisions[i - 1];
      Value dividend = elements.element(division.getLhs(), at);
      Value quotient = lanes.op<arith::MulFOp>(dividend, reciprocals[i - 1][row]);
      elements.provide(division.getResult(), at, quotient);
    }
  }

  void computeReciprocals(const RowPass &pass) {
    reciprocals.clear();
    if (config.getTerms() == 1) {
      return; // The configuration rounds like the generic loops.
    }
    Lanes scalar(b, 1);
    Value zero = math.index(0);
    SmallVector<Value> zeros(problem.outer.size(), zero);
    for (graph::BinaryOp division : pass.divisions) {
      SmallVector<Value> &own = reciprocals.emplace_back();
      for (int64_t row = 0; row < config.getRows(); ++row) {
        Value divisor = elements.element(division.getRhs(), indicesAt({zeros, zero}, row));
        Value one = scalar.constantOf(b.getF32Type(), 1);
        own.push_back(b.create<arith::DivFOp>(one, divisor));
      }
    }
  }

  void storeElement(const Pending &element) {
    Lanes lanes = elements.lanes();
    Buffer memory{function.result(element.result), elements.type(yielded(element.result))};
    store(lanes, memory, element.offset, lanes.splat(element.element));
  }

  void storePending() {
    for (const Pending &element : pending) {
      storeElement(element);
    }
    pending.clear();
  }

  ElementType wideType(graph::ReduceOp reduce) {
    return accumulatorType(reduce.getKind(), elements.type(reduce.getInput()));
  }
  /// Returns the type of the sums of `terms` steps.
  ElementType narrowType(graph::ReduceOp reduce) {
    ElementType given = elements.type(reduce.getInput());
    bool isNarrow = config.getTerms() > 1 && isFloat(given) && given != ElementType::F64;
    return isNarrow && wideType(reduce) == ElementType::F64 ? ElementType::F32 : wideType(reduce);
  }
  /// Returns the indices of a vector of a row in the merged dimensions.
  SmallVector<Index> indicesAt(const Place &place, int64_t row) {
    SmallVector<Index> at(rows[row]);
    for (Value index : place.outer) {
      at.push_back(Index{index, 0, {}});
    }
    at.push_back(Index{place.first, 1, {}});
    return at;
  }

  Value yielded(unsigned result) { return function.body().getTerminator()->getOperand(result); }

  KernelFunction &function;
  ImplicitLocOpBuilder &b;
  const RowProblem &problem;
  RowsAttr config;
  LoopNest math;
  KernelEmitter elements;
  int64_t width;
  /// For each row of a step, the indices of the leading dimensions.
  SmallVector<SmallVector<Index>> rows;
  /// For each kept value and row of a step, its memory.
  SmallVector<SmallVector<Buffer>> keptMemory;
  SmallVector<Pending> pending;
  /// For each division of the pass and row of a step, the reciprocal of the divisor.
  SmallVector<SmallVector<Value>> reciprocals;
};

/// Returns the operands that the result may share memory with: the last pass reads each element of
/// the operand before it writes the element of the result, and no pass follows.
SmallVector<unsigned> operandsInPlace(Block &body, const RowProblem &problem) {
  SmallVector<unsigned> operands;
  Operation *yield = body.getTerminator();
  if (yield->getNumOperands() != 1 || problem.passes.back().results.empty()) {
    return operands;
  }
  for (BlockArgument argument : body.getArguments()) {
    if (argument.getType() == yield->getOperand(0).getType()) {
      operands.push_back(argument.getArgNumber());
    }
  }
  return operands;
}

} // namespace

LogicalResult lowerRows(task::KernelOp kernel, const RowProblem &problem, RowsAttr config,
                        const Machine &machine) {
  KernelFunction function(kernel, scratchBytes(problem, config.getRows()));
  int64_t range = RowsEmitter(function, problem, config, machine.vectorBytes).emit();
  function.allowInPlace(operandsInPlace(function.body(), problem));
  function.finish(range);
  return success();
}

} // namespace convoy::kernels
