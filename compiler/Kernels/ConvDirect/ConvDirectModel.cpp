// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the cost model of conv_direct. A tile step (one channel, one tap) takes the maximum of
// its multiplication time and its load time. A tile with too few accumulators is bound by the
// latency of a multiplication.

#include "Kernels/ConvDirect/ConvDirectModel.h"
#include "Kernels/Core/Tiles.h"
#include <numeric>

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr int64_t kFmaLatency = 4;
constexpr double kLoadsPerCycle = 2;
constexpr int64_t kLineBytes = 64;
/// Addresses with the same offset in a page share a set of the first-level cache.
constexpr int64_t kPageBytes = 4096;
/// The lines of a set that pixels can take beside the weights.
constexpr int64_t kMostLinesOfSet = 8;
/// Estimated cycles per load of a pixel whose line is not in the first-level cache. It must exceed
/// the time of the multiplications of the largest tiles. Smaller tiles save 1 to 5 % in BERT and
/// ViT; alone, the product takes the same time with both.
constexpr double kConflictCycles = 1.25;
/// Cycles per accumulator to initialize and store a tile.
constexpr double kAccumulatorCycles = 1.5;
/// Minimum channels and products of an innermost step; see stepDepth.
constexpr int64_t kLeastStepDepth = 4;
constexpr int64_t kLeastStepProducts = 64;
/// The step depth for long vectors. The offset of each channel does not fit in an instruction, so
/// the scalar registers limit the depth.
constexpr int64_t kLongStepDepth = 8;
/// Planar pixels need scalar registers for their offsets too.
constexpr int64_t kLongPlanarDepth = 4;
/// The approximate number of tasks per kernel.
constexpr int64_t kTasks = 64;
/// Kernels with fewer tasks are split further, although this costs some reuse.
constexpr int64_t kFewTasks = 16;
/// The maximum number of tiles per joined row, and the minimum gain of joining more rows.
constexpr int64_t kMostTiles = 16;
constexpr double kWorthJoining = 0.99;
/// More kinds of tiles per row would be too much code for one kernel.
constexpr size_t kMostRuns = 6;

} // namespace

ConvDirectModel ConvDirectModel::of(const ConvProblem &problem, InputLayout input, bool isFlat,
                                    const Machine &machine) {
  if (!cutsBlocks(problem, machine.lanes())) {
    return {problem, input, isFlat, machine};
  }
  ConvDirectModel model(joinGroups(problem), input, isFlat, machine);
  model.joined = problem;
  return model;
}

/// Returns the input channels that a panel of `vectors` blocks reads, on average. Channels between
/// groups count, because the code multiplies them by zero.
double ConvDirectModel::channelsPerPanel(int64_t vectors) const {
  if (!joined) {
    return static_cast<double>(p.inputChannels);
  }
  GroupWindows windows = windowsOf(*joined, vectors * block, block);
  return static_cast<double>(windows.blocks() * block) / static_cast<double>(windows.panels());
}

int64_t ConvDirectModel::columns() const {
  return joinsRows() ? p.outputColumns * p.outputRows : p.outputColumns;
}

int64_t ConvDirectModel::mostPixels(int64_t vectors) const {
  return std::min((m.tileRegisters() - vectors - m.spreadRegisters()) / vectors, columns());
}

bool ConvDirectModel::canCut(int64_t vectors) const {
  return vectors <= blocks() && (p.groups == 1 || blocks() % vectors == 0);
}

/// Returns how to join rows of a pointwise problem. The number of joined rows divides the number of
/// rows. The plan joins as few rows as fill the tiles, because tasks are split along rows.
std::optional<ConvDirectModel::RowPlan> ConvDirectModel::planRows(int64_t vectors,
                                                                  int64_t pixels) const {
  if (std::optional<RowPlan> plan = planParts(vectors, pixels)) {
    return plan;
  }
  std::optional<RowPlan> plan;
  for (int64_t joined = 1; joined <= p.outputRows; ++joined) {
    int64_t columns = p.outputColumns * joined;
    bool isTooLong = columns > kMostTiles * pixels || !joinsRows();
    if (joined > 1 && isTooLong) {
      break; // more rows are longer still, and an image can have 2^31 rows
    }
    if (p.outputRows % joined != 0) {
      continue;
    }
    double cycles = rowsCycles(vectors, pixels, columns);
    if (cycles > 0 && (!plan || cycles < kWorthJoining * plan->cycles)) {
      plan = {columns, p.outputRows / joined, cycles};
    }
  }
  return plan;
}

/// Returns how to split the rows of a matrix that exceeds the second-level cache into equal parts,
/// so that a part stays in the cache for all panels; nullopt if the matrix is small or has no such
/// parts. The parts take at most half of the cache.
std::optional<ConvDirectModel::RowPlan> ConvDirectModel::planParts(int64_t vectors,
                                                                   int64_t pixels) const {
  int64_t rowBytes = p.inputChannels * 4;
  int64_t most = m.secondCacheBytes / 2 / rowBytes;
  if (!p.isMatrix || m.hasLongVectors() || p.outputColumns * rowBytes <= m.secondCacheBytes) {
    return std::nullopt;
  }
  std::optional<RowPlan> plan;
  // The lengths of parts are few, their number can be 2^40.
  int64_t longest = std::min({most, kMostTiles * pixels, p.outputColumns / 2});
  for (int64_t columns = longest; columns >= pixels; --columns) {
    bool isPart = p.outputColumns % columns == 0;
    double cycles = isPart ? rowsCycles(vectors, pixels, columns) : 0;
    if (cycles > 0 && (!plan || cycles < plan->cycles)) {
      plan = {columns, p.outputColumns / columns, cycles};
    }
  }
  return plan;
}

double ConvDirectModel::rowsCycles(int64_t vectors, int64_t pixels, int64_t columns) const {
  WindowAxis window{p.inputColumns, p.kernelColumns, p.strideColumns, p.dilationColumns, p.padLeft};
  if (columns != p.outputColumns) {
    window.input = columns;
  }
  std::vector<TileRun> runs = cutRow(columns, pixels, window);
  if (runs.size() > kMostRuns) {
    return 0;
  }
  double cycles = 0;
  for (const TileRun &run : runs) {
    cycles += run.count * tileCycles(vectors, run.pixels);
  }
  return cycles * static_cast<double>(rowsOf(columns));
}

/// Returns the most lines of one set of the first-level cache that the pixels of a tile take. The
/// pixels of a matrix are far apart; with 1024 channels, all of them are in one set.
int64_t ConvDirectModel::linesOfSet(int64_t pixels) const {
  if (!p.isMatrix) {
    return 1;
  }
  int64_t sets = kPageBytes / std::max(std::gcd(p.inputChannels * 4, kPageBytes), kLineBytes);
  return ceilDiv(pixels, sets);
}

double ConvDirectModel::tileCycles(int64_t vectors, int64_t pixels) const {
  double fma = static_cast<double>(vectors * pixels) / m.multiplyAddsPerCycle();
  double loads = static_cast<double>(vectors + pixels) / kLoadsPerCycle;
  if (linesOfSet(pixels) > kMostLinesOfSet) {
    loads += kConflictCycles * static_cast<double>(pixels);
  }
  // A single pixel streams weights; the second-level cache delivers about one vector every two
  // cycles.
  double weights = pixels == 1 ? 2.0 * vectors : 0;
  double latency = m.hasLongVectors() ? 0 : kFmaLatency; // long vectors hide the latency
  double step = std::max({fma, loads, weights, latency});
  double steps = channelsPerPanel(vectors) * static_cast<double>(p.taps());
  return steps * step + kAccumulatorCycles * static_cast<double>(vectors * pixels);
}

double ConvDirectModel::totalCycles(double panelCycles, int64_t vectors) const {
  return panelCycles * static_cast<double>(p.batch * p.groups * panels(vectors));
}

ConvDirectModel::Parameters ConvDirectModel::rule(int64_t vectors, int64_t pixels,
                                                  int64_t columns) const {
  bool isShortPlanar = input == InputLayout::Planar && !m.hasLongVectors();
  int64_t unroll =
      isShortPlanar ? depthBlock() : std::min(stepDepth(vectors, pixels), depthBlock());
  return {
      vectors, pixels, columns, passesFor(vectors), unroll, cutsPanels(rowsOf(columns), vectors),
      true};
}

ConvDirectAttr ConvDirectModel::configure(const Parameters &choice, MLIRContext *context) const {
  int64_t tiles = ceilDiv(choice.columns, choice.pixels);
  int64_t depth = depthOf(choice.passes);
  TaskShape task = shapeTask(rowsOf(choice.columns), panels(choice.vectors), choice.alongPanels);
  int64_t lines =
      choice.isFetched ? fetchedLines(depth, choice.vectors, choice.unroll, task.rows * tiles) : 0;
  return ConvDirectAttr::get(context, block, choice.vectors, choice.pixels, depth, choice.unroll,
                             choice.columns == p.outputColumns ? 0 : choice.columns, task.rows,
                             task.panels, lines, choice.isFetched && fetchesResult(depth));
}

/// Returns whether tasks are split along panels, which is better if weights are larger than the
/// input, because then the smaller operand is read repeatedly. A part of a matrix stays in the
/// cache only for the panels of its task.
bool ConvDirectModel::cutsPanels(int64_t rows, int64_t vectors) const {
  if (p.isMatrix && rows > 1) {
    return false;
  }
  double weights = static_cast<double>(p.outputChannels * p.taps()) * channelsPerPanel(vectors);
  int64_t input = p.inputChannels * p.inputRows * p.inputColumns;
  return panels(vectors) > 1 && (weights > static_cast<double>(input) || rows == 1);
}

/// Returns the size of a task, small enough to balance the load. If there are few panels, tasks are
/// split along rows too; the second task then finds the weights in the cache.
ConvDirectModel::TaskShape ConvDirectModel::shapeTask(int64_t rows, int64_t panels,
                                                      bool alongPanels) const {
  if (alongPanels) {
    // Long vectors stream weights for every tile.
    int64_t few = m.hasLongVectors() ? kTasks : kFewTasks;
    int64_t cuts = std::min(ceilDiv(few, p.groups * p.batch * panels), rows);
    return {ceilDiv(rows, cuts), std::max<int64_t>(1, panels / kTasks)};
  }
  return {std::max<int64_t>(1, rows / kTasks), panels};
}

/// Returns the cache lines to prefetch per innermost step. Weights that exceed a quarter of the
/// second-level cache are prefetched one pass ahead; the next pass follows in memory. The `tiles`
/// of a task share the work.
int64_t ConvDirectModel::fetchedLines(int64_t depth, int64_t vectors, int64_t unroll,
                                      int64_t tiles) const {
  int64_t bytes = p.groups * p.outputChannels * p.inputChannels * p.taps() * 4;
  // The hardware prefetcher handles streams. The windows of joined groups are small.
  bool isStream = tiles == 1 || m.hasLongVectors() || joined;
  if (bytes <= m.secondCacheBytes / 4 || isStream) {
    return 0;
  }
  int64_t lines = depth * p.taps() * vectors * block * 4 / kLineBytes;
  return ceilDiv(lines, tiles * p.taps() * (depth / unroll));
}

/// Returns whether to prefetch the result of a tile. A result larger than the first-level cache is
/// not in the cache when a tile ends. With several passes, the first pass has loaded it.
bool ConvDirectModel::fetchesResult(int64_t depth) const {
  int64_t bytes = p.groups * p.outputChannels * p.outputRows * p.outputColumns * 4;
  return depth >= p.inputChannels && bytes > m.firstCacheBytes && !m.hasLongVectors();
}

/// Returns the channels of an innermost step: enough that the overhead of the loop and of
/// prefetches is small. A single pixel is bound by memory, so it uses the minimum.
int64_t ConvDirectModel::stepDepth(int64_t vectors, int64_t pixels) const {
  if (m.hasLongVectors()) {
    return std::min(input == InputLayout::Planar ? kLongPlanarDepth : kLongStepDepth, block);
  }
  int64_t depth = kLeastStepDepth;
  while (pixels > 1 && depth < block && depth * vectors * pixels < kLeastStepProducts) {
    depth *= 2;
  }
  return std::min(depth, block);
}

int64_t ConvDirectModel::depthBlock() const { return depthBlockOf(p, input, block); }

/// Returns the number of passes so that the weights of one pass fit in half the first-level
/// cache.
int64_t ConvDirectModel::passesFor(int64_t vectors) const {
  int64_t bytes = vectors * block * 4 * p.taps();
  int64_t most = std::max<int64_t>(m.firstCacheBytes / 2 / bytes / depthBlock(), 1) * depthBlock();
  int64_t all = ceilDiv(p.inputChannels, depthBlock()) * depthBlock();
  // Long vectors stream weights past all caches.
  if (joined || m.hasLongVectors() || all <= most * 3 / 2 || p.outputRows * p.outputColumns == 1) {
    return 1;
  }
  return ceilDiv(all, most);
}

int64_t ConvDirectModel::depthOf(int64_t passes) const {
  int64_t all = ceilDiv(p.inputChannels, depthBlock()) * depthBlock();
  return ceilDiv(ceilDiv(all, passes), depthBlock()) * depthBlock();
}

// Tries each register tile and takes all other parameters from the rules. This finds the point with
// the lowest estimate without enumerating the space.
std::optional<ConfigChoice> ConvDirectModel::choose(MLIRContext *context) const {
  std::optional<ConfigChoice> best;
  for (int64_t vectors : kTileVectors) {
    int64_t pixels = mostPixels(vectors);
    auto rows = pixels < 1 || !canCut(vectors) ? std::nullopt : planRows(vectors, pixels);
    if (!rows) {
      continue;
    }
    double cycles = totalCycles(rows->cycles, vectors);
    if (!best || cycles < best->cycles) {
      best = {configure(rule(vectors, pixels, rows->columns), context), {}, cycles};
    }
  }
  return best;
}

int64_t depthBlockOf(const ConvProblem &problem, InputLayout input, int64_t block) {
  if (input != InputLayout::Planar) {
    return block;
  }
  bool isLong = block * 4 >= kLongVectorBytes;
  return isLong ? problem.inputChannels : std::min(problem.inputChannels, block);
}

bool canRunConvDirect(const ConvProblem &problem, InputLayout input, const Machine &machine) {
  int64_t block = machine.lanes();
  // The code unrolls planar channels one by one. With many channels a reorder is cheaper, unless
  // vectors are long.
  bool isTooDeep =
      input == InputLayout::Planar && problem.inputChannels > block && !machine.hasLongVectors();
  bool isDepthwise = problem.isDepthwise() && problem.outputChannels == 1;
  return !isDepthwise && !isTooDeep && (input != InputLayout::Planar || problem.groups == 1);
}

std::optional<ConfigChoice> chooseConvDirect(const ConvProblem &problem, InputLayout input,
                                             bool isFlat, const Machine &machine,
                                             MLIRContext *context) {
  if (!canRunConvDirect(problem, input, machine)) {
    return std::nullopt;
  }
  return ConvDirectModel::of(problem, input, isFlat, machine).choose(context);
}

} // namespace convoy::kernels
