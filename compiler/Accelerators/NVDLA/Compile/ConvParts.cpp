// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits convolutions into parts and bands.
//
// Groups: SDP writes whole atoms, so the outputs are split into blocks of whole atoms. Each block
// reads the atoms that contain the inputs of its groups, with zero weights for channels of other
// groups. Adjacent blocks that read the same atoms form one part.
//
// Buffer: data and weights share the banks of the convolution buffer. The planner tries, in this
// order: all data with all weights; all data with two kernel groups at a time; the faster one of
// bands of rows with all weights resident and of fewer bands with two kernel groups at a time,
// fetched again for each band; bands with one kernel group at a time.
//
// Winograd: the buffer holds four more rows and columns than are written, including padding. A band
// consists of whole tiles, at least two.

#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Accelerators/NVDLA/Cycles/CycleModel.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {
namespace {

using llvm::alignDown;
using llvm::alignTo;
using llvm::divideCeil;

/// Additional rows and columns of the input that the Winograd mode reads.
constexpr int64_t kTileReach = 4;

/// Returns the part of kernels [first, first + count) with the memory channels that they read, in
/// whole atoms.
ConvPart makePart(const ConvShape &shape, int64_t first, int64_t count, int64_t lanes) {
  int64_t perGroup = shape.kernels / shape.groups;
  int64_t low = shape.channels[first / perGroup * shape.groupInputs];
  int64_t high = shape.channels[((first + count - 1) / perGroup + 1) * shape.groupInputs - 1];
  int64_t begin = int64_t(alignDown(uint64_t(low), uint64_t(lanes)));
  return {first, count, begin, high + 1 - begin};
}

/// Returns the buffer entries that one row occupies, the field entry_per_slice of CDMA
/// (docs/targets/nvdla.md, "Register fields and buffers"). Complete groups of atoms fill whole
/// entries, and the remaining atoms of several pixels share entries. Three remaining atoms take one
/// entry per pixel.
int64_t entriesPerRow(int64_t width, int64_t channels, Precision precision,
                      const HardwareConfig &config) {
  int64_t atoms =
      int64_t(divideCeil(uint64_t(channels * bytesPerElement(precision)), config.atomBytes));
  int64_t perEntry = config.cbufEntryBytes / config.atomBytes;
  int64_t rest = atoms % perEntry;
  int64_t shared = rest == 3 ? width : int64_t(divideCeil(uint64_t(rest * width), perEntry));
  return atoms / perEntry * width + shared;
}

RowBand makeBand(const ConvShape &shape, int64_t firstRow, int64_t rows) {
  int64_t top = firstRow * shape.strideY - shape.padTop;
  int64_t bottom = shape.isWinograd ? top + rows + kTileReach - 1
                                    : top + (rows - 1) * shape.strideY +
                                          (shape.kernelHeight - 1) * shape.dilationY;
  int64_t first = std::max<int64_t>(top, 0);
  int64_t last = std::min<int64_t>(bottom, int64_t(shape.input.height) - 1);
  return {firstRow,
          rows,
          first,
          last - first + 1,
          std::max<int64_t>(-top, 0),
          std::max<int64_t>(bottom - last, 0)};
}

/// Returns the jobs of a part and its bands without addresses, for the cycle model.
std::vector<ConvJob> jobsOf(const ConvShape &shape, const ConvPart &part, const BufferPlan &plan) {
  std::vector<ConvJob> jobs;
  for (const RowBand &band : plan.bands) {
    ConvJob job;
    job.precision = job.inPrecision = shape.precision;
    job.input = {uint32_t(shape.usedWidth()), uint32_t(band.inputRows), uint32_t(part.channels)};
    job.isImage = shape.samples != 0;
    job.isWinograd = shape.isWinograd;
    job.postExtension = uint32_t(shape.mergedRows);
    job.source.lineStride =
        uint64_t(shape.usedWidth() * part.channels) * bytesPerElement(shape.precision);
    job.kernel = kernelOf(shape, part);
    job.kernels = uint32_t(part.kernels);
    job.outWidth = uint32_t(shape.writtenWidth());
    job.outHeight = uint32_t(band.rows);
    job.reusesWeights = plan.weightsStay && band.firstRow > 0;
    jobs.push_back(job);
  }
  return jobs;
}

/// Estimates the cycles of a part with the following SDP.
uint64_t cyclesOfPart(const ConvShape &shape, const ConvPart &part, const BufferPlan &plan,
                      const NvdlaOptions &options) {
  uint64_t cycles = 0;
  for (const ConvJob &job : jobsOf(shape, part, plan)) {
    FusedJob fused;
    fused.conv = job;
    fused.sdp = SdpJob();
    fused.sdp->precision = fused.sdp->outPrecision = shape.precision;
    fused.sdp->size = {job.outWidth, job.outHeight, job.kernels};
    fused.sdp->isFromConv = true;
    fused.sdp->x1.isBypassed = false;
    cycles += estimateCycles(fused, *options.config).totalCycles;
  }
  return cycles;
}

class BufferPlanner {
public:
  BufferPlanner(const ConvShape &shape, const ConvPart &part, const NvdlaOptions &options)
      : shape(shape), part(part), options(options), config(*options.config) {
    entries = shape.isWinograd ? shape.reach() * kernelOf(shape, part).channels *
                                     bytesPerElement(shape.precision) / config.cbufEntryBytes
              : shape.samples == 0
                  ? entriesPerRow(shape.usedWidth(), part.channels, shape.precision, config)
                  : int64_t(divideCeil(uint64_t(shape.reach() * shape.samples) *
                                           bytesPerElement(shape.precision),
                                       config.cbufEntryBytes));
    int64_t bankBytes = int64_t(config.cbufEntriesPerBank) * config.cbufEntryBytes;
    auto banks = [&](int64_t bytes) {
      return int64_t(divideCeil(uint64_t(alignTo(bytes, 128)), bankBytes));
    };
    int64_t group = config.macKernels / bytesPerElement(shape.precision);
    int64_t perKernel = weightBytes(shape, {0, 1, part.firstChannel, part.channels});
    allWeights = banks(perKernel * part.kernels);
    twoGroups = std::min(allWeights, banks(perKernel * std::min(part.kernels, 2 * group)));
    oneGroup = std::min(allWeights, banks(perKernel * std::min(part.kernels, group)));
  }

  std::optional<BufferPlan> plan() {
    int64_t all = dataBanks(makeBand(shape, 0, rows()));
    for (int64_t weights : {allWeights, twoGroups, oneGroup}) {
      if (all + weights <= config.cbufBanks) {
        return finish(weights, rows());
      }
    }
    return options.isSeparate ? likeOfficial() : split();
  }

private:
  /// Returns the plan whose bands take the fewest cycles; of equal plans, the one with fewer bands.
  std::optional<BufferPlan> split() {
    std::optional<BufferPlan> best;
    std::pair<uint64_t, size_t> least;
    for (int64_t weights : {allWeights, twoGroups, oneGroup}) {
      int64_t most = best && weights == oneGroup ? 0 : rowsBeside(weights);
      std::optional<BufferPlan> plan = most > 0 ? finish(weights, most) : std::nullopt;
      if (!plan) {
        continue;
      }
      std::pair<uint64_t, size_t> cost(cyclesOfPart(shape, part, *plan, options),
                                       plan->bands.size());
      if (!best || cost < least) {
        best = std::move(plan);
        least = cost;
      }
    }
    return best;
  }

  /// The official compiler leaves half of the banks to data if it splits the data.
  std::optional<BufferPlan> likeOfficial() {
    for (int64_t weights : {allWeights, twoGroups, oneGroup}) {
      bool isTooMuch = weights > config.cbufBanks / 2 && weights != oneGroup;
      if (int64_t most = isTooMuch ? 0 : rowsBeside(weights)) {
        return finish(weights, most);
      }
    }
    return std::nullopt;
  }

  /// Returns the number of output rows that are written.
  int64_t rows() const { return shape.isWinograd ? inTiles(shape.outHeight) : shape.outHeight; }

  int64_t dataBanks(const RowBand &band) const {
    int64_t stored = shape.isWinograd ? band.rows + kTileReach : band.inputRows;
    return int64_t(divideCeil(uint64_t(entries * stored), config.cbufEntriesPerBank));
  }

  /// Returns the largest number of output rows whose input fits beside `weights` banks of weights.
  int64_t rowsBeside(int64_t weights) const {
    int64_t inputs = (int64_t(config.cbufBanks) - weights) * config.cbufEntriesPerBank / entries;
    if (shape.isWinograd) {
      int64_t fitting = int64_t(alignDown(uint64_t(std::max<int64_t>(inputs, 0)), 4)) - kTileReach;
      return fitting < 2 * 4 ? 0 : std::min(rows(), fitting);
    }
    int64_t reach = (shape.kernelHeight - 1) * shape.dilationY + 1;
    return inputs < reach ? 0 : std::min(shape.outHeight, (inputs - reach) / shape.strideY + 1);
  }

  std::optional<BufferPlan> finish(int64_t weights, int64_t mostRows) {
    BufferPlan plan;
    plan.entriesPerRow = entries;
    plan.weightBanks = weights;
    plan.weightsStay = weights == allWeights;
    // Bands of equal height minimize the overlap; the official compiler uses bands of maximal
    // height.
    int64_t unit = shape.isWinograd ? 4 : 1;
    int64_t units = rows() / unit;
    int64_t bands = int64_t(divideCeil(uint64_t(units), mostRows / unit));
    if (shape.isWinograd && bands > 1 && units / bands < 2) {
      return std::nullopt;
    }
    int64_t each = options.isSeparate ? mostRows : int64_t(divideCeil(uint64_t(units), bands));
    int64_t row = 0;
    for (int64_t band = 0; row < rows(); ++band) {
      int64_t count = shape.isWinograd ? units / bands + (band < units % bands ? 1 : 0) : each;
      plan.bands.push_back(makeBand(shape, row, std::min(count * unit, rows() - row)));
      plan.dataBanks = std::max(plan.dataBanks, dataBanks(plan.bands.back()));
      row += count * unit;
    }
    return plan;
  }

  const ConvShape &shape;
  const ConvPart &part;
  const NvdlaOptions &options;
  const HardwareConfig &config;
  int64_t entries, allWeights, twoGroups, oneGroup;
};

} // namespace

int64_t ConvShape::reach() const {
  return isWinograd ? writtenWidth() + kTileReach
                    : (outWidth - 1) * strideX + (kernelWidth - 1) * dilationX + 1;
}

int64_t ConvShape::usedWidth() const { return std::min<int64_t>(input.width, reach() - padLeft); }

int64_t ConvShape::padRight() const { return reach() - padLeft - usedWidth(); }

/// Returns 2 or 4 if that many kernel rows, and the pixels of one step, fit in the MAC array side
/// by side ("post-extension", docs/targets/nvdla.md), otherwise 1.
static int64_t mergedRows(const ConvShape &shape, const HardwareConfig &config) {
  int64_t row = shape.kernelWidth * shape.samples;
  int64_t step = shape.strideX * shape.samples;
  for (int64_t rows : {4, 2}) {
    int64_t perRow = config.macChannels / rows;
    if (row <= perRow && step <= perRow && shape.strideX <= shape.kernelWidth) {
      return rows;
    }
  }
  return 1;
}

ConvShape shapeOf(const ConvGeometry &geometry) {
  ConvShape shape;
  shape.precision = geometry.precision;
  shape.input = geometry.input;
  shape.kernels = geometry.weight[0];
  shape.groups = geometry.groups;
  shape.groupInputs = geometry.weight[1];
  shape.kernelHeight = geometry.weight[2];
  shape.kernelWidth = geometry.weight[3];
  shape.strideY = geometry.strides[0];
  shape.strideX = geometry.strides[1];
  shape.dilationY = geometry.dilations[0];
  shape.dilationX = geometry.dilations[1];
  shape.padTop = geometry.pads[0];
  shape.padLeft = geometry.pads[1];
  shape.outWidth = geometry.output.width;
  shape.outHeight = geometry.output.height;
  shape.channels = identityMap(geometry.input.channels);
  return shape;
}

ConvShape shapeOf(ConvOp conv, const HardwareConfig &config) {
  ConvShape shape = shapeOf(geometryOf(conv, precisionOf(conv.getInput().getType())));
  shape.channels = channelMapOf(conv.getInput(), lanesOf(config, shape.precision));
  shape.samples = pixelSamples(conv.getInput());
  shape.mergedRows = shape.samples == 0 ? 1 : mergedRows(shape, config);
  shape.isWinograd = conv.getWinograd();
  return shape;
}

CubeSize kernelOf(const ConvShape &shape, const ConvPart &part) {
  if (shape.isWinograd) {
    constexpr uint64_t kAtomBytes = 32;
    return {
        4, 4,
        uint32_t(alignTo(uint64_t(part.channels), kAtomBytes / bytesPerElement(shape.precision)))};
  }
  bool isImage = shape.samples != 0;
  return {uint32_t(isImage ? 1 : shape.kernelWidth), uint32_t(shape.kernelHeight),
          uint32_t(isImage ? shape.kernelWidth * part.channels : part.channels)};
}

std::optional<accelerators::Refusal>
whyNotShape(const ConvShape &shape, llvm::ArrayRef<int64_t> pads, const NvdlaOptions &options) {
  int64_t tall = (shape.kernelHeight - 1) * shape.dilationY + 1;
  int64_t wide = (shape.kernelWidth - 1) * shape.dilationX + 1;
  if (pads[0] >= tall || pads[1] >= wide || pads[2] >= tall || pads[3] >= wide ||
      shape.padRight() >= wide) {
    return accelerators::Refusal{
        "the padding is not smaller than the kernel, which the device requires", "", std::nullopt};
  }
  // A 16-bit element takes the place of two bytes.
  int64_t atOnce = options.config->macKernels / (shape.precision == Precision::Int8 ? 1 : 2);
  for (const ConvPart &part : splitGroups(shape, options)) {
    if (!planBuffer(shape, part, options)) {
      return accelerators::Refusal{
          llvm::formatv(
              "the input rows of one output row and the weights of {0} kernels do not fit in "
              "the convolution buffer of {1} bytes",
              std::min(part.kernels, atOnce), options.config->cbufBytes())
              .str(),
          "use a target with a larger convolution buffer", std::nullopt};
    }
  }
  return std::nullopt;
}

int64_t weightBytes(const ConvShape &shape, const ConvPart &part) {
  CubeSize kernel = kernelOf(shape, part);
  return part.kernels * int64_t(kernel.channels) * kernel.width * kernel.height *
         bytesPerElement(shape.precision);
}

static std::vector<ConvPart> splitBlocks(const ConvShape &shape, int64_t block, int64_t lanes) {
  std::vector<ConvPart> parts;
  for (int64_t first = 0; first < shape.kernels; first += block) {
    ConvPart part = makePart(shape, first, std::min(block, shape.kernels - first), lanes);
    bool isSame = !parts.empty() && parts.back().firstChannel == part.firstChannel &&
                  parts.back().channels == part.channels;
    if (isSame) {
      parts.back().kernels += part.kernels;
    } else {
      parts.push_back(part);
    }
  }
  return parts;
}

/// Returns the parts of a convolution with groups that take the fewest cycles.
static std::vector<ConvPart> fastestParts(const ConvShape &shape, const NvdlaOptions &options) {
  int64_t lanes = lanesOf(*options.config, shape.precision);
  std::vector<ConvPart> narrow = splitBlocks(shape, lanes, lanes);
  // A block of the MAC array's width needs fewer jobs, but fetches more zero weights.
  int64_t block = options.config->macChannels;
  if (options.savesMemory || block <= lanes) {
    return narrow;
  }
  std::vector<ConvPart> wide = splitBlocks(shape, block, lanes);
  return cyclesOf(shape, wide, options) <= cyclesOf(shape, narrow, options) ? wide : narrow;
}

/// Returns the number of bands of all parts, each of which is an operation, or nothing if a part
/// does not fit in the buffer.
static std::optional<size_t> bandsOf(const ConvShape &shape, llvm::ArrayRef<ConvPart> parts,
                                     const NvdlaOptions &options) {
  size_t bands = 0;
  for (const ConvPart &part : parts) {
    std::optional<BufferPlan> plan = planBuffer(shape, part, options);
    if (!plan) {
      return std::nullopt;
    }
    bands += plan->bands.size();
  }
  return bands;
}

std::vector<ConvPart> splitGroups(const ConvShape &shape, const NvdlaOptions &options) {
  int64_t channels = shape.samples != 0 ? shape.samples : physicalChannels(shape.channels);
  ConvPart whole = {0, shape.kernels, 0, channels};
  if (shape.groups == 1 || (options.isSeparate && planBuffer(shape, whole, options))) {
    return {whole};
  }
  std::vector<ConvPart> parts = fastestParts(shape, options);
  if (!options.hasDenseGroups) {
    return parts;
  }
  std::optional<size_t> dense = bandsOf(shape, whole, options);
  std::optional<size_t> split = bandsOf(shape, parts, options);
  return dense && (!split || *dense < *split) ? std::vector{whole} : parts;
}

std::optional<BufferPlan> planBuffer(const ConvShape &shape, const ConvPart &part,
                                     const NvdlaOptions &options) {
  return BufferPlanner(shape, part, options).plan();
}

uint64_t cyclesOf(const ConvShape &shape, llvm::ArrayRef<ConvPart> parts,
                  const NvdlaOptions &options) {
  uint64_t cycles = 0;
  for (const ConvPart &part : parts) {
    std::optional<BufferPlan> plan = planBuffer(shape, part, options);
    cycles += plan ? cyclesOfPart(shape, part, *plan, options) : 0;
  }
  return cycles;
}

} // namespace convoy::nvdla
