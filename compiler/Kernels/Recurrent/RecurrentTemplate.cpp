// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recurrent template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/Core/CeilDiv.h"
#include "Kernels/MatchingTemplate.h"
#include "Kernels/Recurrent/ScanKernel.h"
#include <set>

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Rows of the matrix per innermost step that the cost model prefers.
constexpr int64_t kRuleDepth = 4;
/// Vectors per panel. A core reads a matrix of 1 MiB at 119 GB/s with 16 vectors, at 115 GB/s with
/// 8 (AVX-512, 2.1 GHz).
constexpr int64_t kMostVectors = 16;
/// The fewest vectors per panel for which an even number of panels is preferred.
constexpr int64_t kLeastEvenVectors = 4;
/// Entries of the batch per task. More entries read each matrix less often, but give fewer tasks.
constexpr int64_t kRuleRows = 4;
constexpr int64_t kMostRows = 8;
/// Bytes per cycle that a core reads from its second cache.
constexpr double kStreamBytes = 32;
/// Cycles of an element-wise op per vector; activations are polynomials of about 20 operations.
constexpr double kElementCycles = 6;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Returns the largest divisor of `batch` that is at most `most`.
int64_t divisorUpTo(int64_t batch, int64_t most) {
  int64_t divisor = std::min(batch, most);
  while (batch % divisor != 0) {
    --divisor;
  }
  return divisor;
}

int64_t rowsFor(int64_t batch) {
  int64_t rows = divisorUpTo(batch, kRuleRows);
  return rows == 1 ? divisorUpTo(batch, kMostRows) : rows;
}

/// Returns whether every product has an even number of panels, which two threads share evenly.
bool hasEvenPanels(const ScanKernel &kernel, int64_t vectors, int64_t lanes) {
  return llvm::all_of(kernel.products, [&](graph::MatMulOp product) {
    return ceilDiv(typeOf(product.getResult()).getDimSize(1), vectors * lanes) % 2 == 0;
  });
}

/// Returns the vectors per panel: as many as the registers hold beside the loaded weights. If the
/// tasks of a step are panels, an even number of panels is preferred.
int64_t vectorsFor(const ScanKernel &kernel, int64_t rows, const Machine &machine) {
  int64_t free = machine.tileRegisters() - machine.spreadRegisters();
  // With one row, multiply-adds read the weights from memory. A power of two divides most sizes.
  int64_t fit = rows == 1 ? llvm::bit_floor(static_cast<uint64_t>(free)) : free / (rows + 1);
  int64_t vectors = std::clamp<int64_t>(fit, 1, kMostVectors);
  for (graph::MatMulOp product : kernel.products) {
    int64_t columns = typeOf(product.getResult()).getDimSize(1);
    vectors = std::min(vectors, ceilDiv(columns, machine.lanes()));
  }
  int64_t even = vectors;
  while (even >= kLeastEvenVectors && !hasEvenPanels(kernel, even, machine.lanes())) {
    even /= 2;
  }
  return kernel.batch == rows && even >= kLeastEvenVectors ? even : vectors;
}

/// Returns the estimated cycles. A product takes the time of its multiply-adds or of reading its
/// matrix, whichever is longer.
double cyclesOf(const ScanKernel &kernel, int64_t rows, const Machine &machine) {
  auto lanes = static_cast<double>(machine.lanes());
  double perTask = 0;
  for (graph::MatMulOp product : kernel.products) {
    auto weights = static_cast<double>(typeOf(product.getRhs()).getNumElements());
    double vectors = weights / lanes * static_cast<double>(rows);
    double computing = vectors / static_cast<double>(machine.multiplyAddsPerCycle());
    perTask += std::max(computing, weights * 4 / kStreamBytes);
  }
  for (Operation &op : kernel.body().without_terminator()) {
    if (!isa<graph::MatMulOp>(op)) {
      auto columns = static_cast<double>(kernel.yieldShape().back());
      perTask += kElementCycles * static_cast<double>(rows) * columns / lanes;
    }
  }
  int64_t tasks = kernel.batch / rows;
  return perTask * static_cast<double>(kernel.steps * tasks);
}

/// Returns `values` and `rule` as the values of a knob, in order and without duplicates.
std::vector<std::vector<int64_t>> valuesWith(int64_t rule, std::set<int64_t> values) {
  values.insert(rule);
  std::vector<std::vector<int64_t>> result;
  for (int64_t value : values) {
    result.push_back({value});
  }
  return result;
}

std::set<int64_t> divisorsOf(int64_t batch) {
  std::set<int64_t> divisors;
  for (int64_t i = 1; i <= std::min(batch, kMostRows); ++i) {
    if (batch % i == 0) {
      divisors.insert(i);
    }
  }
  return divisors;
}

class RecurrentTemplate : public MatchingTemplate<RecurrentAttr, ScanKernel> {
public:
  int version() const override { return 2; }

protected:
  std::optional<ScanKernel> match(Block &body, std::string &reason) const override {
    return matchScanKernel(body, reason);
  }

  /// Requires constant matrices.
  std::optional<ScanKernel> matchFacts(const KernelFacts &facts,
                                       std::string &reason) const override {
    std::optional<ScanKernel> kernel = match(facts.body(), reason);
    if (!kernel) {
      return std::nullopt;
    }
    for (graph::MatMulOp product : kernel->products) {
      unsigned weight = cast<BlockArgument>(product.getRhs()).getArgNumber();
      if (!facts.kernel.getInputs()[weight].getDefiningOp<graph::ConstantOp>()) {
        reason = "a matrix that multiplies the state is not constant";
        return std::nullopt;
      }
    }
    return kernel;
  }

  std::string whyNotConfig(const ScanKernel &kernel, Block & /*body*/,
                           RecurrentAttr config) const override {
    return kernel.batch % config.getUnroll() == 0
               ? ""
               : "a batch of " + std::to_string(kernel.batch) +
                     " is not a multiple of unroll = " + std::to_string(config.getUnroll());
  }

  std::vector<ConfigChoice> chooseMatched(const KernelFacts &facts, const ScanKernel &kernel,
                                          const Machine &machine) const override {
    int64_t rows = rowsFor(kernel.batch);
    Attribute config =
        RecurrentAttr::get(facts.context(), vectorsFor(kernel, rows, machine), kRuleDepth, rows);
    return {{config, Attribute(), cyclesOf(kernel, rows, machine)}};
  }

  std::optional<Space> spaceOf(const KernelFacts &facts, const ScanKernel &kernel,
                               const Machine &machine) const override {
    int64_t rows = rowsFor(kernel.batch);
    int64_t vectors = vectorsFor(kernel, rows, machine);
    Space space;
    space.knobs = {
        {"vectors",
         KnobKind::Ordered,
         {"vectors"},
         valuesWith(vectors, {1, 2, 4, 8, kMostVectors})},
        {"depth", KnobKind::Ordered, {"depth"}, valuesWith(kRuleDepth, {1, 2, 8})},
        {"unroll", KnobKind::Ordered, {"unroll"}, valuesWith(rows, divisorsOf(kernel.batch))}};
    space.constraints = {
        {"the accumulators do not fit the registers",
         [most = machine.tileRegisters()](const Settings &s) { return s[0] * s[2] <= most; }}};
    space.configure = [context = facts.context()](const Settings &s) {
      return RecurrentAttr::get(context, s[0], s[1], s[2]);
    };
    space.cycles = [=, estimate = cyclesOf(kernel, rows, machine)](const Settings &s) {
      return estimate * strayFactor(s[0], vectors, /*perDoubling=*/0.03) *
             strayFactor(s[1], kRuleDepth, /*perDoubling=*/0.01) *
             strayFactor(s[2], rows, /*perDoubling=*/0.1);
    };
    return space;
  }

  void setLayouts(const KernelFacts &facts, const ScanKernel &kernel, RecurrentAttr config,
                  Candidate &candidate) const override {
    int64_t lanes = machineOf(facts.kernel).lanes();
    Attribute panels = ConvWeightsAttr::get(facts.context(), config.getVectors() * lanes,
                                            /*i=*/1, /*transposed=*/true);
    for (graph::MatMulOp product : kernel.products) {
      candidate.operands[cast<BlockArgument>(product.getRhs()).getArgNumber()] = panels;
    }
  }

  LogicalResult lowerMatched(task::KernelOp function, const ScanKernel &kernel,
                             RecurrentAttr config, const Machine &machine) const override {
    return lowerRecurrent(function, kernel, config, machine);
  }
};

} // namespace

const KernelTemplate &recurrentTemplate() { return onlyObject<RecurrentTemplate>(); }

} // namespace convoy::kernels
