// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-layout-choose-layouts. Chooses one candidate per kernel, optimizing over a
// whole block (Assignment.h). Then sets the encodings of the types and inserts the remaining
// reorders. Values that cross a block boundary, views, and inputs and outputs of the function are
// planar.

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Layout/Assignment.h"
#include "Layout/Candidates.h"
#include "Layout/Measured.h"
#include "Layout/Passes.h"
#include "Layout/Reorder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;

namespace convoy::layout {
#define GEN_PASS_DEF_CHOOSELAYOUTSPASS
#include "Layout/Passes.h.inc"

namespace {

using Costs = std::vector<std::vector<double>>;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

class BlockLayouts {
public:
  BlockLayouts(Block &block, const kernels::Machine &machine,
               const ChooseLayoutsPassOptions &options)
      : block(block), machine(machine), options(options) {}

  /// Returns the number of reorders that move data, or fails after emitting an error.
  FailureOr<int64_t> run() {
    for (auto kernel : block.getOps<graph::KernelOp>()) {
      if (isa_and_nonnull<kernels::OffloadAttr>(kernel.getConfigAttr())) {
        continue; // A device runs this kernel on planar tensors.
      }
      candidates[kernel] = candidatesOf(kernel, machine, options.isStrictMath);
      if (failed(takeMeasured(kernel, candidates[kernel]))) {
        return failure();
      }
    }
    choose();
    if (options.weightLimit > 0 && failed(limitWeights())) {
      return failure();
    }
    for (auto &[kernel, chosen] : choices) {
      applyCandidate(kernel, candidates[kernel][chosen]);
    }
    for (auto &[kernel, chosen] : choices) {
      connectUsers(kernel);
    }
    for (Operation *constant : repacked) {
      if (constant->use_empty()) {
        constant->erase();
      }
    }
    return reorders;
  }

private:
  void choose();
  LogicalResult limitWeights();
  bool fitsAt(double price, double mostBytes);
  void refine(double low, double high, double mostBytes);
  double bytesOf(graph::KernelOp kernel, const Candidate &candidate) const;
  double packedBytes() const;
  double fixedCost(graph::KernelOp kernel, const Candidate &candidate);
  void addEdges(graph::KernelOp consumer, Assignment &problem);
  void connectUsers(graph::KernelOp kernel);
  Value inLayout(Value value, Attribute layout, Operation *before);

  /// Returns the kernel of this block that produces a value, or null.
  graph::KernelOp producerOf(Value value) const {
    auto kernel = value.getDefiningOp<graph::KernelOp>();
    return kernel && candidates.count(kernel) ? kernel : graph::KernelOp();
  }
  /// Returns whether a use is an operand of a kernel whose candidate this block chooses.
  bool isChosenUse(OpOperand &use) const {
    auto kernel = dyn_cast<graph::KernelOp>(use.getOwner());
    return kernel && candidates.count(kernel);
  }

  Block &block;
  const kernels::Machine &machine;
  const ChooseLayoutsPassOptions &options;
  llvm::MapVector<Operation *, std::vector<Candidate>> candidates;
  llvm::MapVector<graph::KernelOp, size_t> choices;
  // Constant weights by kernel, their price per byte in cycles, and their numbers of readers; set
  // only if there is a limit.
  llvm::MapVector<graph::KernelOp, Value> weights;
  llvm::DenseMap<Operation *, double> prices;
  llvm::DenseMap<Value, int64_t> readers;
  llvm::DenseMap<Operation *, size_t> nodeOf;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> reordered;
  llvm::SmallPtrSet<Operation *, 16> inserted; // the inserted reorders
  llvm::SetVector<Operation *> repacked;       // constants that may have no uses left
  int64_t reorders = 0;
};

/// Returns the cost of a candidate that does not depend on other choices: its cycles, and reorders
/// from and to values that are always planar. Packing a constant costs nothing at run time.
double BlockLayouts::fixedCost(graph::KernelOp kernel, const Candidate &candidate) {
  double cost = candidate.cycles;
  for (auto [input, layout] : llvm::zip(kernel.getInputs(), candidate.operands)) {
    if (!producerOf(input) && !input.getDefiningOp<graph::ConstantOp>()) {
      cost += reorderCycles(typeOf(input), {}, layout, machine);
    }
  }
  for (Value result : kernel.getResults()) {
    bool isNeededPlanar =
        llvm::any_of(result.getUses(), [&](OpOperand &use) { return !isChosenUse(use); });
    if (isNeededPlanar) {
      cost += reorderCycles(typeOf(result), candidate.result, {}, machine);
    }
  }
  return cost;
}

void BlockLayouts::addEdges(graph::KernelOp consumer, Assignment &problem) {
  const std::vector<Candidate> &ours = candidates[consumer];
  for (auto [i, input] : llvm::enumerate(consumer.getInputs())) {
    graph::KernelOp producer = producerOf(input);
    if (!producer) {
      continue;
    }
    const std::vector<Candidate> &theirs = candidates[producer];
    Costs costs(theirs.size(), std::vector<double>(ours.size()));
    for (auto [from, row] : llvm::zip(theirs, costs)) {
      for (auto [to, cost] : llvm::zip(ours, row)) {
        cost = reorderCycles(typeOf(input), from.result, to.operands[i], machine);
      }
    }
    problem.addEdge(nodeOf[producer], nodeOf[consumer], costs);
  }
}

/// Returns the constant weights of the convolution or product of a kernel, or null.
Value constantWeights(graph::KernelOp kernel) {
  kernels::KernelFacts facts(kernel, /*isStrictMath=*/false);
  Value weights = facts.conv ? kernel.getInputs()[facts.conv->weight] : Value();
  return weights && weights.getDefiningOp<graph::ConstantOp>() ? weights : Value();
}

double bytesIn(Value constant, Attribute layout) {
  RankedTensorType type = graph::withLayout(constant.getType(), layout);
  return static_cast<double>(graph::physicalElements(type)) *
         static_cast<double>(type.getElementTypeBitWidth()) / 8;
}

Attribute layoutIn(graph::KernelOp kernel, const Candidate &candidate, Value input) {
  return candidate.operands[llvm::find(kernel.getInputs(), input) - kernel.getInputs().begin()];
}

/// Returns the bytes of the weights of a candidate, shared evenly among the kernels that read them.
double BlockLayouts::bytesOf(graph::KernelOp kernel, const Candidate &candidate) const {
  Value input = weights.lookup(kernel);
  return input ? bytesIn(input, layoutIn(kernel, candidate, input)) /
                     static_cast<double>(readers.lookup(input))
               : 0;
}

/// Returns the bytes of the weights of the chosen candidates. Kernels that read weights in the same
/// layout share them.
double BlockLayouts::packedBytes() const {
  llvm::DenseSet<std::pair<Value, Attribute>> seen;
  double bytes = 0;
  for (auto &[kernel, input] : weights) {
    const Candidate &chosen = candidates.find(kernel)->second[choices.lookup(kernel)];
    Attribute layout = layoutIn(kernel, chosen, input);
    bytes += seen.insert({input, layout}).second ? bytesIn(input, layout) : 0;
  }
  return bytes;
}

/// Chooses with a price per byte of weights at which they fit the limit. The lowest price is found
/// by bisection, because a higher price gives fewer bytes, except where kernels share weights.
LogicalResult BlockLayouts::limitWeights() {
  constexpr double kLeastPrice = 1e-6, kMostPrice = 1e9;
  constexpr double kPrecision = 1.01;
  double planar = 0;
  for (auto &[op, list] : candidates) {
    if (Value input = constantWeights(cast<graph::KernelOp>(op))) {
      weights[cast<graph::KernelOp>(op)] = input;
      planar += ++readers[input] == 1 ? bytesIn(input, {}) : 0;
    }
  }
  double most = planar * static_cast<double>(options.weightLimit) / 100;
  if (packedBytes() <= most) {
    return success();
  }
  if (!fitsAt(kMostPrice, most)) {
    auto percent = static_cast<int64_t>(std::ceil(packedBytes() / planar * 100));
    return block.getParentOp()->emitError()
           << "the smallest packed weights take " << percent
           << " % of the bytes of the stored weights, but the limit is " << options.weightLimit
           << " %; raise the limit to " << percent << " or more";
  }
  double low = kLeastPrice, high = kMostPrice;
  while (high > low * kPrecision) {
    double middle = std::sqrt(low * high);
    (fitsAt(middle, most) ? high : low) = middle;
  }
  refine(low, high, most);
  return success();
}

/// Chooses with one price for all weights. Returns whether they fit.
bool BlockLayouts::fitsAt(double price, double mostBytes) {
  for (auto &[kernel, input] : weights) {
    prices[kernel] = price;
  }
  choose();
  return packedBytes() <= mostBytes;
}

/// Lowers the price of one kernel after the other from `high` to `low`, which is too low for all of
/// them together. Layers of one shape change their choice at the same price.
void BlockLayouts::refine(double low, double high, double mostBytes) {
  (void)fitsAt(low, mostBytes);
  llvm::MapVector<graph::KernelOp, size_t> larger = choices;
  (void)fitsAt(high, mostBytes);
  for (auto &[kernel, chosen] : larger) {
    if (!weights.lookup(kernel) || choices.lookup(kernel) == chosen) {
      continue;
    }
    prices[kernel] = low;
    choose();
    if (packedBytes() > mostBytes) {
      prices[kernel] = high;
      choose();
    }
  }
}

/// Chooses one candidate per kernel at the least cost, which includes the price of weights.
void BlockLayouts::choose() {
  Assignment problem;
  for (auto &[op, list] : candidates) {
    std::vector<double> costs;
    for (const Candidate &candidate : list) {
      auto kernel = cast<graph::KernelOp>(op);
      costs.push_back(fixedCost(kernel, candidate) +
                      prices.lookup(kernel) * bytesOf(kernel, candidate));
    }
    nodeOf[op] = problem.addNode(costs);
  }
  for (auto &[op, list] : candidates) {
    addEdges(cast<graph::KernelOp>(op), problem);
  }
  std::vector<size_t> chosen = problem.solve();
  for (auto &[op, list] : candidates) {
    choices[cast<graph::KernelOp>(op)] = chosen[nodeOf[op]];
  }
}

/// Returns `value` in a layout: the value itself, a repacked constant, or the result of a reorder.
/// Users of the same value and layout share one reorder.
Value BlockLayouts::inLayout(Value value, Attribute layout, Operation *before) {
  if (graph::layoutOf(value.getType()) == layout) {
    return value;
  }
  Value &known = reordered[{value, layout}];
  if (known) {
    return known;
  }
  OpBuilder builder(before);
  if (value.getParentBlock() == &block) {
    builder.setInsertionPointAfterValue(value);
  } else { // The parent block is processed later and would choose a candidate for the reorder.
    builder.setInsertionPointToStart(&block);
  }
  if (auto constant = value.getDefiningOp<graph::ConstantOp>()) {
    ElementsAttr elements = graph::withLayout(constant.getValue(), layout);
    repacked.insert(constant);
    return known = builder.create<graph::ConstantOp>(value.getLoc(), elements.getType(), elements);
  }
  known = reorder(builder, value, layout);
  reorders += isa<graph::KernelOp>(known.getDefiningOp());
  inserted.insert(known.getDefiningOp());
  return known;
}

/// Converts the operands of a kernel to the layouts of its block arguments. Converts its results to
/// planar for users that are not kernels.
void BlockLayouts::connectUsers(graph::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (auto [operand, argument] : llvm::zip(kernel->getOpOperands(), body.getArguments())) {
    operand.set(inLayout(operand.get(), graph::layoutOf(argument.getType()), kernel));
  }
  for (Value result : kernel.getResults()) {
    if (!graph::layoutOf(result.getType())) {
      continue;
    }
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses()) {
      if (!isChosenUse(use)) {
        uses.push_back(&use);
      }
    }
    for (OpOperand *use : uses) {
      if (!inserted.contains(use->getOwner())) {
        use->set(inLayout(result, {}, use->getOwner()));
      }
    }
  }
}

struct ChooseLayouts : impl::ChooseLayoutsPassBase<ChooseLayouts> {
  using ChooseLayoutsPassBase::ChooseLayoutsPassBase;

  void runOnOperation() override {
    kernels::Machine machine = kernels::machineOf(getOperation());
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<graph::KernelOp>(block->getParentOp())) {
        blocks.push_back(block);
      }
    });
    for (Block *block : blocks) {
      FailureOr<int64_t> moved = BlockLayouts(*block, machine, {isStrictMath, weightLimit}).run();
      if (failed(moved)) {
        return signalPassFailure();
      }
      reorders += *moved;
    }
  }
};

} // namespace
} // namespace convoy::layout
