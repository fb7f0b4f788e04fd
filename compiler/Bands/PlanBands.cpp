// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-bands-plan-bands: finds consecutive runs in @main that pass rows on, and
// records the bands of the chosen groups on them (BandGroups.h). Memory then does not reuse memory
// within a group, and the schedule stage compares bands with unsplit runs.

#include "Bands/BandGroups.h"
#include "Bands/KernelTime.h"
#include "Bands/Passes.h"
#include "Graph/Graph.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace convoy::bands {
#define GEN_PASS_DEF_PLANBANDSPASS
#include "Bands/Passes.h.inc"

namespace {

/// Consecutive runs, with the earlier runs that each of them reads.
class Row {
public:
  explicit Row(SymbolTable &symbols) : symbols(symbols) {}

  /// Adds a run. Returns false if the run has no rows.
  bool add(task::RunOp run) {
    auto kernel = symbols.lookup<task::KernelOp>(run.getKernel());
    std::optional<task::RowSteps> steps = task::RowSteps::of(kernel);
    if (!steps || run.getNumResults() != 1 || steps->reads.size() != run.getInputs().size()) {
      return false;
    }
    auto bytesOf = [&](unsigned i) {
      auto memory = cast<MemRefType>(kernel.getArgumentTypes()[i]);
      return memory.getNumElements() * ((memory.getElementTypeBitWidth() + 7) / 8);
    };
    Layer layer;
    unsigned operands = run.getInputs().size();
    auto result = task::rowMemoryOf(run->getResult(0).getType(), bytesOf(operands));
    if (!result) {
      return false;
    }
    layer.result = *result;
    layer.computeNs = estimateComputeNs(kernel);
    for (auto [i, operand] : llvm::enumerate(run.getInputs())) {
      auto memory = task::rowMemoryOf(operand.getType(), bytesOf(i));
      SmallVector<unsigned, 2> sources;
      findSources(operand, sources);
      auto producer = operand.getDefiningOp<task::RunOp>();
      if (steps->reads[i] && memory && (producer || sources.empty())) {
        auto from = sources.empty() ? std::nullopt : std::optional(sources.front());
        layer.inputs.push_back({from, static_cast<unsigned>(i), *memory});
      } else {
        layer.wholeBytes += bytesOf(i);
        layer.wholeFrom.append(sources);
      }
    }
    layer.steps = std::move(*steps);
    positions[run] = layers.size();
    layers.push_back(std::move(layer));
    runs.push_back(run);
    return true;
  }

  /// Records the chosen groups on the runs. Returns their number.
  unsigned mark(const BandLimits &limits, unsigned firstGroup) {
    std::vector<BandGroup> groups = chooseGroups(layers, limits);
    for (auto [number, group] : llvm::enumerate(groups)) {
      for (auto [i, ends] : llvm::enumerate(group.ends)) {
        task::Bands bands{static_cast<int64_t>(firstGroup + number), ends, group.savedNs[i]};
        task::RunOp run = runs[group.first + i];
        run.setBandsAttr(bands.toAttr(run.getContext()));
      }
    }
    return groups.size();
  }

private:
  /// Collects the runs that produce a tensor, looking through reshapes, reorders and
  /// concatenations.
  void findSources(Value tensor, SmallVectorImpl<unsigned> &sources) {
    Operation *op = tensor.getDefiningOp();
    auto it = op ? positions.find(op) : positions.end();
    if (it != positions.end()) {
      sources.push_back(it->second);
    } else if (op && graph::namesStorage(op)) {
      for (Value operand : op->getOperands()) {
        findSources(operand, sources);
      }
    }
  }

  SymbolTable &symbols;
  std::vector<task::RunOp> runs;
  std::vector<Layer> layers;
  llvm::DenseMap<Operation *, unsigned> positions;
};

struct PlanBands : impl::PlanBandsPassBase<PlanBands> {
  using PlanBandsPassBase::PlanBandsPassBase;

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main) {
      getOperation().emitOpError("has no function @main to split into bands");
      return signalPassFailure();
    }
    if (cacheBytes <= 0) {
      return; // the cache size is unknown
    }
    BandLimits limits{cacheBytes, static_cast<unsigned>(std::max<int64_t>(1, threads)), takesAll};
    SymbolTable symbols(getOperation());
    unsigned groups = 0;
    std::optional<Row> row(symbols);
    auto finish = [&] {
      groups += row->mark(limits, groups);
      row.emplace(symbols);
    };
    for (Operation &op : main.getBody().front().without_terminator()) {
      auto run = dyn_cast<task::RunOp>(op);
      bool isName = isa<graph::ConstantOp>(op) || graph::namesStorage(&op);
      if (!isName && (!run || !row->add(run))) {
        finish();
      }
    }
    finish();
    groupCount += groups;
  }
};

} // namespace
} // namespace convoy::bands
