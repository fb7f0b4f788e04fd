// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Recurrent.td documents. Values that a product reads or writes, states
// and slices of scanned inputs are in scratch memory; the generic emitters compute all other values
// of a step on demand. A step writes the next states to memory of their own, because another task
// may still read the states.

#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/InterleaveChains.h"
#include "Kernels/Core/LoopNest.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/KernelTemplate.h"
#include "Kernels/Recurrent/ScanKernel.h"
#include "Kernels/Recurrent/StepPanel.h"
#include "Kernels/Recurrent/StepPhases.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Vectors of columns whose element-wise ops are interleaved. A step of an LSTM has many values per
/// vector, so more chains would not fit in the registers.
constexpr int64_t kMostChains = 4;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Returns the number of tasks that execute a phase of a step together, or 1 if the range runs over
/// the batch: there are several tasks of rows, or every product has one panel, or the last vector
/// of a row of a product extends into the next row, which another task writes.
int64_t roundParts(const ScanKernel &kernel, RecurrentAttr config, int64_t lanes) {
  int64_t rows = config.getUnroll();
  int64_t panels = 1;
  for (graph::MatMulOp product : kernel.products) {
    int64_t columns = typeOf(product.getResult()).getDimSize(1);
    if (rows > 1 && columns % lanes != 0) {
      return 1;
    }
    panels = std::max(panels, ceilDiv(columns, config.getVectors() * lanes));
  }
  return kernel.batch == rows ? panels : 1;
}

/// The work of a task in a phase: a part of the columns.
struct PhaseTask {
  Value step;
  Value part; // null if one task does the whole phase
};

class RecurrentEmitter : private LoopNest {
public:
  RecurrentEmitter(KernelFunction &function, const ScanKernel &kernel, RecurrentAttr config,
                   int64_t vectorBytes, int64_t lanes, const StepMemory &plan)
      : LoopNest(function.b), function(function), kernel(kernel), config(config), plan(plan),
        phases(phasesOf(kernel)), elements(function.b, vectorBytes), lanes(lanes),
        rows(config.getUnroll()), width(config.getVectors() * lanes),
        parts(roundParts(kernel, config, lanes)) {
    function.bindOperands(elements);
    for (auto [value, offset] : plan.first) {
      scratch[value] = memoryAt(value, index(offset));
    }
    for (BlockArgument argument : kernel.body().getArguments()) {
      elements.bind(argument, scratch[argument]);
    }
  }

  /// Returns the range of the function.
  int64_t emit() { return parts > 1 ? emitRounds() : emitBatch(); }

private:
  /// Emits a range over the batch. A task computes all steps of its rows.
  int64_t emitBatch() {
    loop(function.begin(), function.end(), [&](Value task) {
      firstRow = mul(task, rows);
      loadStates();
      loop(index(0), index(kernel.steps), [&](Value step) {
        auto emitStep = [&] {
          for (unsigned phase = 0; phase < phases.size(); ++phase) {
            emitPhase(phase, {step, Value()});
          }
        };
        ifActive(step, emitStep, [&] { emitInactive({step, Value()}); });
      });
      storeStates();
    });
    return kernel.batch / rows;
  }

  /// Emits a range over rounds: one that loads the states, one for each phase of each step, and one
  /// that stores the states.
  int64_t emitRounds() {
    int64_t rounds = 2 + kernel.steps * static_cast<int64_t>(phases.size());
    firstRow = index(0);
    loop(function.begin(), function.end(),
         [&](Value task) { emitInRound(divide(task, parts), rounds - 1, remainder(task, parts)); });
    function.setRounds(rounds);
    return rounds * parts;
  }

  void emitInRound(Value round, int64_t last, Value part) {
    Value isFirstPart = isEqual(part, 0);
    Value isFirst = isEqual(round, 0);
    Value isLast = isEqual(round, last);
    branch(b.create<arith::AndIOp>(isFirst, isFirstPart), [&] { loadStates(); });
    branch(b.create<arith::AndIOp>(isLast, isFirstPart), [&] { storeStates(); });
    // The first and the last round have no phase; the default region is empty.
    auto count = static_cast<int64_t>(phases.size());
    Value before = b.create<arith::SubIOp>(round, index(1));
    Value step = divide(before, count);
    Value isEdge = b.create<arith::OrIOp>(isFirst, isLast);
    Value phase = b.create<arith::SelectOp>(isEdge, index(count), remainder(before, count));
    auto cases = llvm::to_vector(llvm::seq<int64_t>(0, count));
    auto choice = b.create<scf::IndexSwitchOp>(TypeRange(), phase, cases, cases.size());
    OpBuilder::InsertionGuard guard(b);
    for (auto [i, region] : llvm::enumerate(choice.getCaseRegions())) {
      b.setInsertionPointToEnd(&region.emplaceBlock());
      bool isLastPhase = i + 1 == phases.size();
      ifActive(
          step, [&, phase = i] { emitPhase(phase, {step, part}); },
          [&] {
            if (isLastPhase) {
              emitInactive({step, part});
            }
          });
      b.create<scf::YieldOp>();
    }
    b.setInsertionPointToEnd(&choice.getDefaultRegion().emplaceBlock());
    b.create<scf::YieldOp>();
  }

  /// Emits `then` for steps in which the sequence of a row of this task has not ended.
  void ifActive(Value step, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
    if (!kernel.mask) {
      then();
      return;
    }
    Value position = positionOf(step, kernel.scan.getInputReverse()[*kernel.mask]);
    Value first = add(mul(position, kernel.batch), firstRow);
    Buffer mask = operand(kernel.scan.getScanned()[*kernel.mask]);
    Value isActive;
    for (int64_t row = 0; row < rows; ++row) {
      Lanes l = elements.lanes();
      Value isOpen = load(l, mask, l.add(l.uniform(first), row));
      isActive = isActive ? b.create<arith::OrIOp>(isActive, isOpen) : isOpen;
    }
    branch(isActive, then, otherwise);
  }

  /// Keeps the states and stores the constants of a step after the end of all sequences.
  void emitInactive(const PhaseTask &task) {
    bindStates(task.step);
    storeYield(kernel.inactive, task);
  }

  /// Makes the states before a step readable.
  void bindStates(Value step) {
    for (unsigned i = 0; i < kernel.states(); ++i) {
      BlockArgument state = kernel.body().getArgument(i);
      scratch[state] = stateAt(i, step);
      elements.bind(state, scratch[state]);
    }
  }

  void emitPhase(unsigned phase, const PhaseTask &task) {
    bindStates(task.step);
    if (phase == 0) {
      copySlices(task);
    }
    for (Value operand : phases[phase].operands) {
      storeOperand(operand, task);
    }
    for (graph::MatMulOp product : phases[phase].products) {
      emitProduct(product, task);
    }
    if (phase + 1 == phases.size()) {
      storeYield(kernel.body().getTerminator()->getOperands(), task);
    }
    // Later phases read the stored values.
    for (Value operand : phases[phase].operands) {
      elements.bind(operand, scratch[operand]);
    }
    for (graph::MatMulOp product : phases[phase].products) {
      elements.bind(product.getResult(), scratch[product.getResult()]);
    }
  }

  void copySlices(const PhaseTask &task) {
    for (auto [i, scanned] : llvm::enumerate(kernel.scan.getScanned())) {
      BlockArgument slice = kernel.body().getArgument(kernel.states() + i);
      Value position = positionOf(task.step, kernel.scan.getInputReverse()[i]);
      copyRows(operand(scanned), mul(position, typeOf(slice).getNumElements()), scratch[slice],
               slice.getType(), task.part);
    }
  }

  void storeOperand(Value value, const PhaseTask &task) {
    nest(value.getType(), task.part, [&](Lanes &l, ArrayRef<Index> at) {
      Value element = elements.element(value, at);
      store(l, scratch[value], elements.offset(value, at), element);
    });
  }

  void emitProduct(graph::MatMulOp op, const PhaseTask &task) {
    int64_t columns = typeOf(op.getResult()).getDimSize(1);
    int64_t full = columns / width;
    int64_t restVectors = kernels::ceilDiv(columns % width, lanes);
    PanelProduct product{operand(op.getRhs()).memref, scratch[op.getLhs()].memref,
                         scratch[op.getResult()].memref, typeOf(op.getLhs()).getDimSize(1),
                         columns};
    auto emitPanel = [&](Value panel, int64_t vectors) {
      kernels::emitPanel(b, product, config, lanes, firstRow, panel, vectors);
    };
    auto emitRest = [&] { emitPanel(index(full), restVectors); };
    if (!task.part) {
      // The last vector of a row may extend beyond the row. The stores that follow overwrite its
      // excess: the next row of the same panel, then the full panels.
      if (restVectors > 0) {
        emitRest();
      }
      if (full > 0) {
        loop(index(0), index(full), [&](Value panel) { emitPanel(panel, config.getVectors()); });
      }
      return;
    }
    // No product has more panels than there are tasks, so each task computes at most one panel.
    int64_t count = full + (restVectors > 0 ? 1 : 0);
    Value panel = count == parts ? task.part : divide(mul(task.part, count), parts);
    auto emitFull = [&] { emitPanel(panel, config.getVectors()); };
    auto emitOwn = [&] {
      if (restVectors == 0) {
        emitFull();
      } else if (full == 0) {
        emitRest();
      } else {
        branch(isEqual(panel, full), emitRest, emitFull);
      }
    };
    if (count == parts) {
      emitOwn();
    } else {
      Value next = divide(mul(add(task.part, 1), count), parts);
      branch(b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, panel, next), emitOwn);
    }
  }

  /// Stores values as the next states and the slices of the scanned results.
  void storeYield(ValueRange values, const PhaseTask &task) {
    Operation *yield = kernel.body().getTerminator();
    SmallVector<std::optional<Buffer>> results;
    for (unsigned i = 0; i < values.size(); ++i) {
      results.push_back(i < kernel.states() ? stateAt(i, add(task.step, 1)) : resultOf(i));
    }
    nest(yield->getOperand(0).getType(), task.part, [&](Lanes &l, ArrayRef<Index> at) {
      Index offset = l.linearize(at, kernel.yieldShape());
      for (auto [i, to] : llvm::enumerate(results)) {
        if (!to) {
          continue;
        }
        Index place = offset;
        if (i >= kernel.states()) {
          Value position =
              positionOf(task.step, kernel.scan.getOutputReverse()[i - kernel.states()]);
          int64_t count = typeOf(yield->getOperand(i)).getNumElements();
          place = l.add(offset, l.uniform(mul(position, count)));
        }
        store(l, *to, place, valueAt(values[i], yield->getOperand(i).getType(), at));
      }
    });
  }

  /// Returns an element of a value that broadcasts to a type.
  Value valueAt(Value value, Type type, ArrayRef<Index> at) {
    return value.getType() == type ? elements.element(value, at) : elements.broadcast(value, at);
  }

  void loadStates() {
    for (auto [i, state] : llvm::enumerate(kernel.scan.getStates())) {
      copyRows(operand(state), {}, stateAt(i, index(0)), state.getType(), {});
    }
  }

  void storeStates() {
    for (unsigned i = 0; i < kernel.states(); ++i) {
      if (std::optional<Buffer> result = resultOf(i)) {
        copyRows(stateAt(i, index(kernel.steps)), {}, *result,
                 kernel.body().getArgument(i).getType(), {});
      }
    }
  }

  /// Returns a scratch buffer that extends to the end of the scratch memory, at most.
  Buffer memoryAt(Value value, Value offset) {
    ElementType element = elements.type(value);
    int64_t most = plan.bytes - plan.first.lookup(value);
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getArgNumber() < kernel.states()) {
      most = plan.stateBytes[argument.getArgNumber()];
    }
    auto type =
        MemRefType::get({most / storageBytes(element)}, storageType(element, b.getContext()));
    return {b.create<memref::ViewOp>(type, function.scratch(), offset, ValueRange()), element};
  }
  /// Returns the memory of a state before a step, if `step` counts all steps, even or odd.
  Buffer stateAt(unsigned i, Value step) {
    BlockArgument state = kernel.body().getArgument(i);
    Value odd = remainder(step, 2);
    return memoryAt(state, add(mul(odd, plan.stateBytes[i]), plan.first.lookup(state)));
  }
  Buffer operand(Value argument) { return elements.buffer(argument); }

  using Body = llvm::function_ref<void(Lanes &, ArrayRef<Index>)>;

  /// Emits loops over the elements of this task's rows and columns of a matrix. The columns are
  /// split between the tasks of a phase only in whole vectors, because tasks must not write the
  /// same element.
  void nest(Type matrix, Value part, Body body) {
    auto type = cast<RankedTensorType>(matrix);
    int64_t columns = type.getShape().back();
    bool isSplit = part && columns % (parts * lanes) == 0;
    if (isSplit) {
      nestVectors(mul(part, columns / parts), columns / parts, body);
    } else if (part) {
      branch(isEqual(part, 0), [&] { nestColumns(type, body); });
    } else {
      nestColumns(type, body);
    }
  }

  /// Loops over all columns. The last vector may overlap the previous one.
  void nestColumns(RankedTensorType type, Body body) {
    elements.wholeNest({rows, type.getShape().back()}, fromMlir(type.getElementType()), 0,
                       [&](ArrayRef<Index> at) {
                         Lanes l = elements.lanes();
                         body(l, {l.add(at[0], l.uniform(firstRow)), at[1]});
                       });
  }

  /// Loops over `count` columns from `first` on, in whole vectors. The functions of several vectors
  /// are interleaved.
  void nestVectors(Value first, int64_t count, Body body) {
    int64_t vectors = count / lanes;
    int64_t chains = std::min(vectors, kMostChains);
    while (vectors % chains != 0) {
      --chains;
    }
    loop(index(0), index(rows), [&](Value row) {
      loop(index(0), index(vectors / chains), [&](Value group) {
        elements.width = lanes;
        interleaveChains(b, chains, [&](int64_t i) {
          Lanes l = elements.lanes();
          Value column = add(first, mul(add(mul(group, chains), i), lanes));
          body(l, {l.uniform(add(firstRow, row)), Index{column, 1, {}}});
        });
        elements.width = 1;
      });
    });
  }

  /// Copies this task's elements of a matrix that starts at element `start` of `from`.
  void copyRows(const Buffer &from, Value start, const Buffer &to, Type matrix, Value part) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(matrix).getShape().take_back(2);
    nest(matrix, part, [&](Lanes &l, ArrayRef<Index> at) {
      Index offset = l.linearize(at, shape);
      Index source = start ? l.add(offset, l.uniform(start)) : offset;
      store(l, to, offset, load(l, from, source));
    });
  }

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
  const ScanKernel &kernel;
  RecurrentAttr config;
  const StepMemory &plan;
  std::vector<StepPhase> phases;
  KernelEmitter elements;
  int64_t lanes;
  int64_t rows;
  int64_t width; // columns of a panel
  int64_t parts; // tasks per phase
  llvm::DenseMap<Value, Buffer> scratch;
  Value firstRow;
};

} // namespace

LogicalResult lowerRecurrent(task::KernelOp kernel, const ScanKernel &scan, RecurrentAttr config,
                             const Machine &machine) {
  graph::MatMulOp first = scan.products[0];
  auto layout = dyn_cast_or_null<ConvWeightsAttr>(graph::layoutOf(first.getRhs().getType()));
  if (!layout || layout.getO() % config.getVectors() != 0) {
    return emitMisfit(kernel, config, "the matrices are not in panels of the configuration");
  }
  int64_t lanes = layout.getO() / config.getVectors();
  StepMemory plan(scan, lanes);
  KernelFunction function(kernel, plan.bytes);
  RecurrentEmitter emitter(function, scan, config, machine.vectorBytes, lanes, plan);
  function.finish(emitter.emit());
  return success();
}

} // namespace convoy::kernels
