// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conv_tiles template and its cost model, which chooses bands and tiles. If the copy of a band
// fits in the first-level cache, tiles of pixels are loaded from there. Weights are loaded from the
// second-level cache, or once per band if a panel of weights also fits in the first-level cache.

#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/ConvTiles/ConvTiles.h"
#include "Kernels/Convolution/ConvTemplate.h"
#include "Kernels/Core/CeilDiv.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

// Cycles measured on Sapphire Rapids and Emerald Rapids: a product of tiles, a product that adds to
// the sums of the one before it, a tile load from the first-level and the second-level cache, a
// copied block of 16 bytes, the epilogue of a vector of sums, and the start of a group of tiles
// including the stores of its sums.
constexpr double kProductCycles = 20;
constexpr double kDependentProductCycles = 23;
constexpr double kNearLoadCycles = 9;
constexpr double kFarLoadCycles = 22;
constexpr double kCopyCycles = 1.5;
constexpr double kFinishCycles = 8;
constexpr double kStoreCycles = 24;
/// Target number of tasks per kernel.
constexpr int64_t kTasks = 8;
/// Maximum number of taps, because taps are unrolled.
constexpr int64_t kMostTaps = 25;
constexpr int64_t kMostTiles = 4;
constexpr int64_t kTileRegisters = 8;
/// Maximum number of tiles of pixels of the default if tiles have two blocks of output channels.
constexpr int64_t kMostTilesOfPairs = 2;
/// Lanes of the vectors that copy data to a tile.
constexpr int64_t kTileLanes = 16;

/// Returns the output-channel blocks per task, a multiple of `vectors`. Tasks are bands; if there
/// are few bands, they are also split along output channels.
int64_t panelsOf(const ConvProblem &p, int64_t rows, int64_t vectors) {
  int64_t groups = ceilDiv(ceilDiv(p.outputChannels, kTileLanes), vectors);
  int64_t bands = p.batch * ceilDiv(p.outputRows, rows);
  return ceilDiv(groups, std::min(ceilDiv(kTasks, bands), groups)) * vectors;
}

double cyclesOf(const ConvProblem &p, int64_t rows, int64_t tiles, int64_t vectors,
                const Machine &machine) {
  TileBand band(p, rows, tiles);
  auto near = static_cast<double>(machine.firstCacheBytes) * 0.8;
  auto bands = static_cast<double>(p.batch * ceilDiv(p.outputRows, rows));
  auto blocks = static_cast<double>(ceilDiv(p.outputChannels, kTileLanes));
  auto groups = static_cast<double>(band.groups());
  auto count = static_cast<double>(tiles), panels = static_cast<double>(vectors);
  auto steps = static_cast<double>(band.layers() * p.taps());
  int64_t pixels = band.rowPlanes() * band.columnPlanes() * band.planePixels();
  auto input = static_cast<double>(band.layers() * pixels * kTileRowBytes);
  double panel = steps * panels * kTileBytes;
  double pixelLoad = input <= near ? kNearLoadCycles : kFarLoadCycles;
  bool isPanelKept = groups > 1 && panel + std::min(input, near / 2) <= near;
  double weightLoad =
      isPanelKept ? kNearLoadCycles + (kFarLoadCycles - kNearLoadCycles) / groups : kFarLoadCycles;
  double product = tiles * vectors == 1 ? kDependentProductCycles : kProductCycles;
  double step = std::max(count * panels * product, count * pixelLoad + panels * weightLoad);
  double products =
      bands * blocks / panels * groups * (steps * step + count * panels * kStoreCycles);
  auto copied = static_cast<double>(pixels * ceilDiv(p.inputChannels, kTileLanes));
  auto results = static_cast<double>(p.batch * p.outputRows * p.outputColumns) * blocks;
  return products + bands * copied * kCopyCycles + results * kFinishCycles;
}

/// Returns the reason why the template does not support a kernel, or an empty string.
std::string whyNotConvTiles(const ConvKernel &kernel) {
  const ConvProblem &p = kernel.problem;
  if (std::string reason = whyNotConvDot(kernel, kTileLanes); !reason.empty()) {
    return reason;
  }
  if (kernel.integers->isInputWide) {
    return "the input has 16 bits, the template expects 8";
  }
  if (p.isMatrix || p.groups != 1) {
    return "the kernel is not a convolution with a single group";
  }
  if (p.taps() > kMostTaps) {
    return "the kernel has more than " + std::to_string(kMostTaps) + " taps";
  }
  return p.dilationRows == 1 && p.dilationColumns == 1 ? "" : "the kernel has a dilation";
}

/// Returns the configuration with the lowest estimate, or nullopt if the template or the machine
/// does not support the kernel.
std::optional<ConfigChoice> chooseConvTiles(const ConvKernel &kernel, const Machine &machine,
                                            MLIRContext *context) {
  if (!machine.hasTiles || machine.lanes() != kTileLanes || !whyNotConvTiles(kernel).empty()) {
    return std::nullopt;
  }
  const ConvProblem &p = kernel.problem;
  std::optional<ConfigChoice> best;
  auto consider = [&](int64_t rows, int64_t tiles, int64_t vectors) {
    double cycles = cyclesOf(p, rows, tiles, vectors, machine);
    if (!best || cycles < best->cycles) {
      best = {
          ConvTilesAttr::get(context, kTileLanes, tiles, vectors, rows, panelsOf(p, rows, vectors)),
          {},
          cycles};
    }
  };
  for (int64_t tiles = 1; tiles <= kMostTiles; ++tiles) {
    for (int64_t rows = 1; rows <= p.outputRows; ++rows) {
      bool isLarge = TileBand(p, rows, tiles).inputBytes() > machine.secondCacheBytes / 4;
      if (isLarge && rows > 1) {
        break;
      }
      consider(rows, tiles, 1);
      if (tiles <= kMostTilesOfPairs && ceilDiv(p.outputChannels, kTileLanes) % 2 == 0) {
        consider(rows, tiles, 2);
      }
    }
  }
  return best;
}

/// The cost of leaving a rule; see ConvDirectModel.h.
constexpr double kStray = 0.01;

/// Positions of the numbers of a point, in the order of the knobs.
enum { kTiles, kVectors, kRows, kChunks };

/// Returns the blocks of output channels per task for a number of chunks, a multiple of `vectors`.
int64_t panelsOfChunks(const ConvProblem &p, int64_t chunks, int64_t vectors) {
  return ceilDiv(ceilDiv(ceilDiv(p.outputChannels, kTileLanes), vectors), chunks) * vectors;
}

int64_t chunksOf(const ConvProblem &p, int64_t panels) {
  return ceilDiv(ceilDiv(p.outputChannels, kTileLanes), panels);
}

std::vector<Knob> tilesKnobs(const ConvProblem &p) {
  Knob tile{"tile", KnobKind::Split, {"tiles", "vectors"}, {}};
  for (int64_t vectors = 1; vectors <= kMostTiles; ++vectors) {
    for (int64_t tiles = 1; vectors * (tiles + 1) < kTileRegisters; ++tiles) {
      addValue(tile, {tiles, vectors});
    }
  }
  Knob rows{"rows", KnobKind::Ordered, {"rows"}, {}};
  Knob chunks{"panels", KnobKind::Ordered, {"chunks"}, {{1}, {2}, {4}, {8}, {16}}};
  for (int64_t count = 1; count <= p.outputRows; ++count) {
    // Band heights that differ in the number of bands.
    if (count == ceilDiv(p.outputRows, ceilDiv(p.outputRows, count))) {
      addValue(rows, {count});
    }
    addValue(chunks, {chunksOf(p, panelsOf(p, count, /*vectors=*/1))});
    addValue(chunks, {chunksOf(p, panelsOf(p, count, /*vectors=*/2))});
  }
  return {tile, rows, chunks};
}

/// Returns the search space; chooseConvTiles must give a configuration, which has the lowest
/// estimate in the space.
Space convTilesSpace(const ConvProblem &p, const ConfigChoice &best, const Machine &machine,
                     MLIRContext *context) {
  Space space;
  space.knobs = tilesKnobs(p);
  auto rule = cast<ConvTilesAttr>(best.config);
  addValue(space.knobs[1], {rule.getRows()});
  space.constraints = {
      {"the blocks of output channels are not a multiple of the blocks of a tile",
       [=](const Settings &s) { return ceilDiv(p.outputChannels, kTileLanes) % s[kVectors] == 0; }},
      {"the result has fewer rows", [=](const Settings &s) { return s[kRows] <= p.outputRows; }},
      {"the layer has fewer groups of panels than chunks",
       [=](const Settings &s) {
         return chunksOf(p, panelsOfChunks(p, s[kChunks], s[kVectors])) == s[kChunks];
       }},
      {"the input of a band exceeds a quarter of the second-level cache",
       [=](const Settings &s) {
         return s[kRows] == 1 ||
                TileBand(p, s[kRows], s[kTiles]).inputBytes() <= machine.secondCacheBytes / 4;
       }},
  };
  space.configure = [=](const Settings &s) -> Attribute {
    return ConvTilesAttr::get(context, kTileLanes, s[kTiles], s[kVectors], s[kRows],
                              panelsOfChunks(p, s[kChunks], s[kVectors]));
  };
  space.cycles = [=](const Settings &s) {
    double cycles = std::max(cyclesOf(p, s[kRows], s[kTiles], s[kVectors], machine), best.cycles);
    int64_t chunks = chunksOf(p, panelsOf(p, s[kRows], s[kVectors]));
    return cycles * strayFactor(s[kChunks], chunks, kStray);
  };
  return space;
}

class ConvTilesTemplate : public ConvTemplate {
public:
  StringRef id() const override { return ConvTilesAttr::getMnemonic(); }
  int version() const override { return 1; }
  bool usesBlocks() const override { return true; }

protected:
  Operands operands() const override { return Operands::Integers; }

  std::string whyNotConv(const KernelFacts &facts, const Machine &machine) const override {
    if (!machine.hasTiles) {
      return "the target has no tile registers (AMX)";
    }
    return whyNotConvTiles(*facts.conv);
  }

  std::vector<ConfigChoice> chooseConv(const KernelFacts &facts,
                                       const Machine &machine) const override {
    auto choice = chooseConvTiles(*facts.conv, machine, facts.context());
    return choicesOf(choice, nativeBlocks(facts, machine));
  }

  std::vector<LayoutSpace> convSpaces(const KernelFacts &facts,
                                      const Machine &machine) const override {
    std::optional<ConfigChoice> best = chooseConvTiles(*facts.conv, machine, facts.context());
    if (!best) {
      return {};
    }
    return {named(convTilesSpace(facts.conv->problem, *best, machine, facts.context()),
                  nativeBlocks(facts, machine))};
  }

  std::string whyNotConfig(const ConvKernel &kernel, Block & /*body*/,
                           Attribute config) const override {
    auto own = cast<ConvTilesAttr>(config);
    int64_t blocks = ceilDiv(kernel.problem.outputChannels, kTileLanes);
    if (blocks % own.getVectors() != 0 || own.getPanels() % own.getVectors() != 0) {
      return "the kernel has " + std::to_string(blocks) +
             " blocks of output channels, which tiles of " + std::to_string(own.getVectors()) +
             " blocks do not fit";
    }
    if (own.getRows() > kernel.problem.outputRows) {
      return "the result has " + std::to_string(kernel.problem.outputRows) + " rows, bands have " +
             std::to_string(own.getRows());
    }
    return whyNotConvTiles(kernel);
  }

  std::string fitConv(const KernelFacts &facts, Attribute config, Attribute input,
                      Candidate &candidate) const override {
    auto own = cast<ConvTilesAttr>(config);
    // A tile has 64 input channels and 16 output channels.
    Attribute weights = DotWeightsAttr::get(
        facts.context(), own.getBlock(), kTileRowBytes, /*transposed=*/false,
        facts.conv->integers->unsignedZero(), /*depth=*/4, facts.conv->correctsWeights());
    return inBlocks(facts, own.getBlock(), input, weights, candidate);
  }

  LogicalResult lowerConv(task::KernelOp function, const ConvKernel &kernel, Attribute config,
                          const Machine &machine) const override {
    return lowerConvTiles(function, kernel, cast<ConvTilesAttr>(config), machine.vectorBytes);
  }
};

} // namespace

const KernelTemplate &convTilesTemplate() { return onlyObject<ConvTilesTemplate>(); }

} // namespace convoy::kernels
