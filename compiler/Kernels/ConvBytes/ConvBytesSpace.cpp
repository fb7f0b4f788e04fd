// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search space of conv_bytes, and the count of instructions that chooses the default. The
// numbers of the count were measured on a Cortex-M55 with clang and on a Cortex-M4 with gcc.

#include "Kernels/ConvBytes/ByteGroups.h"
#include "Kernels/ConvBytes/ConvBytes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Positions of the numbers of a point, in the order of the knobs.
enum { kPixels, kTile, kWidth };

/// The most bytes of patches of a point.
constexpr int64_t kMostScratchBytes = 4096;
/// The instructions that the estimate charges for a byte of scratch memory. Many patches save few
/// instructions, but memory of a microcontroller is scarce.
constexpr double kByteInstructions = 16;

/// Counts the instructions of a kernel.
class Count {
public:
  Count(const BytesConv &kernel, const Machine &machine)
      : p(kernel.conv.problem), isDirect(kernel.isDirect()), depth(kernel.depth()),
        patchNumbers(kernel.patchNumbers(machine)), hasVectors(hasByteVectors(machine)),
        hasPairs(machine.hasPairProducts) {}

  double operator()(const Settings &s) const {
    int64_t rowPixels = p.isMatrix ? 1 : p.outputColumns;
    int64_t together = s[kPixels] == 0 ? rowPixels : std::min(s[kPixels], rowPixels);
    double row = 0;
    for (int64_t done = 0; done < rowPixels; done += together) {
      row += pixelsOf(std::min(together, rowPixels - done), s);
    }
    int64_t rows = p.isMatrix ? p.outputColumns : p.outputRows;
    return static_cast<double>(rows) * row +
           kByteInstructions * static_cast<double>(s[kPixels] * s[kWidth] * patchNumbers);
  }

private:
  /// Returns the instructions of pixels whose patches are in memory together.
  double pixelsOf(int64_t pixels, const Settings &s) const {
    double count = s[kPixels] == 0 ? 0 : copyOf(s) * static_cast<double>(pixels);
    for (int64_t left = pixels; left > 0;) {
      int64_t tile = hasVectors || hasPairs ? std::min({s[kTile], left, mostTile()}) : 1;
      count += kCall + static_cast<double>(ceilDiv(p.outputChannels, ByteGroups::kChannels)) *
                           (hasVectors ? vectorGroup(tile) : wordGroup(tile, s[kWidth]));
      left -= tile;
    }
    return count;
  }

  int64_t mostTile() const { return hasVectors ? 3 : 2; }

  /// Returns the instructions that copy the taps of a pixel.
  double copyOf(const Settings &s) const {
    double bytes = static_cast<double>(depth);
    double taps = isDirect && s[kWidth] > 1 ? 0 : kTapRow * static_cast<double>(p.kernelRows);
    double copied = isDirect && s[kWidth] > 1 ? 0 : bytes * (hasVectors ? 0.2 : 0.6);
    return taps + copied + (s[kWidth] > 1 ? kExtension + 1.6 * bytes : 0);
  }

  /// Returns the instructions of four channels of the pixels of a tile with MVE.
  double vectorGroup(int64_t tile) const {
    double step = tile == 1 ? 9 : 2.0 * static_cast<double>(2 + 3 * tile);
    double blocks = static_cast<double>(ceilDiv(depth, ByteGroups::kBlock));
    if (depth <= ByteGroups::kBlock) { // The weights stay in registers.
      return 17 * static_cast<double>(tile);
    }
    return blocks * step + 9 * static_cast<double>(tile) + 20;
  }

  /// Returns the instructions of four channels of the pixels of a tile in general registers.
  double wordGroup(int64_t tile, int64_t width) const {
    double products = static_cast<double>(ByteGroups::kChannels * tile * depth);
    double perProduct = tile == 1 ? 1.5 : 1.31;
    perProduct = width > 1 ? (tile == 1 ? 1.37 : 1.08) : perProduct;
    double perSum = tile == 1 ? 20 : 16;
    return products * (hasPairs ? perProduct : (width > 1 ? 5.5 : 5)) +
           perSum * static_cast<double>(ByteGroups::kChannels * tile);
  }

  static constexpr double kCall = 40, kTapRow = 14, kExtension = 20;

  const ConvProblem &p;
  bool isDirect;
  int64_t depth, patchNumbers;
  bool hasVectors; // MVE
  bool hasPairs;   // SMLAD
};

Knob pixelsKnob(const BytesConv &kernel) {
  Knob knob{"pixels", KnobKind::Ordered, {"pixels"}, {}};
  if (kernel.pool) {
    return {"pixels", KnobKind::Ordered, {"pixels"}, {{kernel.windowPixels()}}};
  }
  for (int64_t pixels : {0, 1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 24}) {
    addValue(knob, {pixels});
  }
  addValue(knob, {kernel.conv.problem.outputColumns});
  return knob;
}

} // namespace

Space convBytesSpace(const BytesConv &kernel, const Machine &machine, MLIRContext *context) {
  int64_t columns = kernel.conv.problem.isMatrix ? 1 : kernel.conv.problem.outputColumns;
  bool isDirect = kernel.isDirect(), isMatrix = kernel.conv.problem.isMatrix,
       hasPool = bool(kernel.pool);
  bool hasPairs = machine.hasPairProducts;
  bool hasTiles = hasPairs || hasByteVectors(machine);
  int64_t mostTile = hasByteVectors(machine) ? 3 : 2;
  int64_t patchNumbers = kernel.patchNumbers(machine);
  Space space;
  space.knobs = {pixelsKnob(kernel),
                 {"tile", KnobKind::Ordered, {"tile"}, {{1}, {2}, {3}}},
                 {"width", KnobKind::Unordered, {"width"}, {{1}, {2}}}};
  space.constraints = {
      {"the kernel has several taps or padding, so its taps are copied",
       [=](const Settings &s) { return s[kPixels] > 0 || isDirect; }},
      {"a row has fewer pixels",
       [=](const Settings &s) { return s[kPixels] <= columns || hasPool; }},
      {"the target has no instructions that multiply pairs of 16-bit numbers",
       [=](const Settings &s) { return s[kWidth] == 1 || hasPairs; }},
      {"only patches have 16-bit numbers, and not the patches of a pool",
       [=](const Settings &s) { return s[kWidth] == 1 || (s[kPixels] > 0 && !hasPool); }},
      {"a row of a matrix is copied only to extend it",
       [=](const Settings &s) { return !isMatrix || (s[kPixels] > 0) == (s[kWidth] > 1); }},
      {"the target multiplies the bytes of fewer pixels at once",
       [=](const Settings &s) { return s[kTile] <= (hasTiles && !hasPool ? mostTile : 1); }},
      {"the patches need too much memory",
       [=](const Settings &s) {
         return hasPool || s[kPixels] * s[kWidth] * patchNumbers <= kMostScratchBytes ||
                (s[kPixels] == 1 && s[kWidth] == 1);
       }},
  };
  space.configure = [=](const Settings &s) {
    return ConvBytesAttr::get(context, s[kPixels], s[kTile], s[kWidth]);
  };
  space.cycles = [kernel, machine](const Settings &s) { return Count(kernel, machine)(s); };
  return space;
}

} // namespace convoy::kernels
