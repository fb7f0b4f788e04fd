// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the cost model of depthwise. DepthwiseModel.h states the model; the constants below
// are approximate values for out-of-order cores.

#include "Kernels/Depthwise/DepthwiseModel.h"
#include "Kernels/Core/Tiles.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr int64_t kFmaLatency = 4;
constexpr double kLoadsPerCycle = 2;
/// Number of strips that out-of-order execution overlaps. The dependency chains of one strip
/// overlap with the multiplications of the next.
constexpr double kOverlappedStrips = 2;
/// Cycles to initialise and store an accumulator, and overhead cycles per strip.
constexpr double kAccumulatorCycles = 1.5;
constexpr double kStripCycles = 4;
/// Registers for the loaded column and the epilogue operands: a bias and one or two bounds.
constexpr int64_t kOtherRegisters = 4;
/// Cycles to load a vector from the second-level cache and to write one back.
constexpr double kMemoryCycles = 3;
/// Limits on the kinds of strips per row and on the unrolled multiplications. Configurations above
/// these limits are used only if there is no other configuration.
constexpr size_t kMostRuns = 5;
constexpr int64_t kMostUnrolled = 800;

} // namespace

int64_t DepthwiseModel::mostPixels(int64_t held) const {
  int64_t weights = held == 0 ? 1 : held * p.kernelColumns;
  return std::min(m.tileRegisters() - weights - kOtherRegisters, p.outputColumns);
}

int64_t DepthwiseModel::ruleRows() const {
  return ceilDiv(p.outputRows, ceilDiv(8, ceilDiv(p.groups, block)));
}

DepthwiseModel::Estimate DepthwiseModel::estimate(int64_t held, int64_t pixels) const {
  Window window{p.inputColumns, p.kernelColumns, p.strideColumns, p.dilationColumns, p.padLeft};
  std::vector<TileRun> runs = cutRow(p.outputColumns, pixels, window);
  double cycles = 0;
  int64_t unrolled = 0;
  for (const TileRun &run : runs) {
    cycles += static_cast<double>(run.count) * stripCycles(held, run.pixels);
    unrolled += run.pixels * p.kernelColumns * std::max<int64_t>(held, 1);
  }
  int64_t blocks = ceilDiv(p.groups, block);
  cycles *= static_cast<double>(p.batch * blocks * p.outputRows);
  cycles += kMemoryCycles * static_cast<double>(p.batch * blocks * p.inputRows * p.inputColumns);
  return {cycles, runs.size() <= kMostRuns && unrolled <= kMostUnrolled};
}

DepthwiseAttr DepthwiseModel::configure(int64_t held, int64_t pixels, int64_t rows,
                                        MLIRContext *context) const {
  return DepthwiseAttr::get(context, block, pixels, held, rows);
}

double DepthwiseModel::stripCycles(int64_t held, int64_t pixels) const {
  auto taps = static_cast<double>(p.taps());
  double products = static_cast<double>(pixels) * taps;
  // Columns that the strip loads: each once, or once per tap.
  int64_t window = (pixels - 1) * p.strideColumns + (p.kernelColumns - 1) * p.dilationColumns + 1;
  double loads =
      held == 0 ? products
                : static_cast<double>(p.kernelRows * std::min(window, pixels * p.kernelColumns));
  // Weights kept in registers for a whole row are loaded once for several strips.
  loads += held == p.kernelRows ? 0 : taps;
  double chain = taps * kFmaLatency / kOverlappedStrips;
  double cycles = std::max(
      {products / static_cast<double>(m.multiplyAddsPerCycle()), loads / kLoadsPerCycle, chain});
  return cycles + kStripCycles + kAccumulatorCycles * static_cast<double>(pixels);
}

} // namespace convoy::kernels
