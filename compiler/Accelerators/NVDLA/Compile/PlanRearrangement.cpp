// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans rearrangements. RUBIK has these forms of them:
//
//   contract       channels of a pixel become pixels of a grid: depth-to-space and the phases of a
//                  transposed convolution. The channels must be in blocks of whole atoms, one per
//                  pixel of the grid; CONV with weights of ones and zeros brings them into this
//                  order, and is all that a permutation of channels needs.
//   split, merge   the lines of a cube are stored as planes in any order and read back: an exchange
//                  of channels and rows, a shuffle of groups of whole atoms, a reshape that keeps
//                  rows.
//
// Planes can also be the rows of atoms of a cube, which moves channels behind the columns or back.
// If several forms are possible, the planner chooses the one with the fewest cycles.

#include "Accelerators/NVDLA/Compile/LayerPlan.h"
#include "Accelerators/NVDLA/Cycles/CycleModel.h"
#include "ConvCore/Rearrangement.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {
namespace {

using accelerators::Refusal;
using convcore::Digit;

constexpr size_t kC = 0, kH = 1, kW = 2; // the dimensions of a cube in Digit
constexpr int64_t kMostStride = 32;      // of contract mode
constexpr int64_t kMostSize = 8192;      // of each dimension of a cube
constexpr int64_t kMostJobs = 64;        // of one layer; more cost more than the CPU
constexpr int64_t kPlaneAlignment = 64;  // of planes and lines in bytes

SmallVector<int64_t> sizesOf(CubeSize cube) {
  return {int64_t(cube.channels), int64_t(cube.height), int64_t(cube.width)};
}

class RearrangementPlanner {
public:
  RearrangementPlanner(Operation *op, const NvdlaOptions &options)
      : op(op), options(options), from(*cubeOf(op->getOperand(0).getType())),
        to(*cubeOf(op->getResult(0).getType())) {
    bool isOfFloats =
        isa<FloatType>(cast<RankedTensorType>(op->getOperand(0).getType()).getElementType());
    precision = isOfFloats ? Precision::Fp16 : Precision::Int8;
    lanes = lanesOf(*options.config, precision);
  }

  PlannedLayer run() {
    if (llvm::any_of(sizesOf(to), [](int64_t size) { return size > kMostSize; })) {
      return refuse("the result has a dimension above 8192");
    }
    std::optional<LayerPlan> best;
    if (auto reshape = dyn_cast<convcore::ReshapeOp>(op)) {
      best = planReshape();
    } else {
      auto rearrange = cast<convcore::RearrangeOp>(op);
      digits = convcore::digitsOf(sizesOf(from), rearrange.getApart(), rearrange.getPermutation(),
                                  sizesOf(to));
      if (digits) {
        best = faster(faster(planContract(), planPlanes()), planTurn());
      }
    }
    return best ? PlannedLayer(std::move(*best)) : refuse(reason);
  }

private:
  static Refusal refuse(llvm::StringRef why) { return Refusal{why.str(), "", std::nullopt}; }

  uint64_t cyclesOfPlan(const LayerPlan &plan) const {
    uint64_t cycles =
        plan.conv ? cyclesOf(*plan.conv, splitGroups(*plan.conv, options), options) : 0;
    for (const RubikJob &job : plan.rubik) {
      cycles += estimateCycles(job, *options.config).totalCycles;
    }
    return cycles;
  }

  std::optional<LayerPlan> faster(std::optional<LayerPlan> a, std::optional<LayerPlan> b) const {
    bool isSecond = b && (!a || cyclesOfPlan(*b) < cyclesOfPlan(*a));
    return isSecond ? b : a;
  }

  RubikJob jobOf(CubeSize size) const {
    RubikJob job;
    job.precision = precision;
    job.input = size;
    return job;
  }

  // Contract
  // ---------------------------------------------------------------------------------------

  /// Returns whether pixels keep their order and channels become channels or pixels of a grid of
  /// y x x pixels.
  bool isGrid(int64_t y, int64_t x) const {
    return y <= kMostStride && x <= kMostStride && llvm::all_of(*digits, [&](const Digit &digit) {
             switch (digit.fromDim) {
             case kH:
               return digit.toDim == kH && digit.toStep == y * digit.fromStep;
             case kW:
               return digit.toDim == kW && digit.toStep == x * digit.fromStep;
             default:
               return digit.toDim == kC || digit.toStep < (digit.toDim == kH ? y : x);
             }
           });
  }

  /// Returns the input channel of each channel that RUBIK contracts, without gaps.
  SmallVector<int64_t> gridOrder(int64_t y, int64_t x) const {
    SmallVector<int64_t> order;
    for (int64_t cell = 0; cell < y * x; ++cell) {
      for (int64_t c = 0; c < int64_t(to.channels); ++c) {
        const int64_t target[] = {c, cell / x, cell % x};
        int64_t channel = 0;
        for (const Digit &digit : *digits) {
          channel += digit.fromDim == kC ? digit.fromOf(target[digit.toDim]) : 0;
        }
        order.push_back(channel);
      }
    }
    return order;
  }

  std::optional<LayerPlan> planContract() {
    if (to.height % from.height != 0 || to.width % from.width != 0 ||
        !isGrid(to.height / from.height, to.width / from.width)) {
      return std::nullopt;
    }
    ContractPlan jobs;
    jobs.strideY = to.height / from.height;
    jobs.strideX = to.width / from.width;
    int64_t blocks = jobs.strideY * jobs.strideX;
    SmallVector<int64_t> order = gridOrder(jobs.strideY, jobs.strideX);
    SmallVector<int64_t> places = blockOrder(blocks, to.channels, lanes);
    bool isOrdered = llvm::is_sorted(order);
    if (!isOrdered ||
        (blocks > 1 && !isInBlocks(channelMapOf(op->getOperand(0), lanes), blocks, lanes))) {
      jobs.order = order;
      if (blocks > 1) {
        jobs.order.assign(places.size(), -1);
        for (auto [i, place] : llvm::enumerate(places)) {
          jobs.order[i] = place < 0 ? -1 : order[place];
        }
      }
    }
    LayerPlan layer;
    if (blocks == 1 && isOrdered) {
      layer.jobs = ViewPlan(); // only dimensions of size 1 move
      return layer;
    }
    if (!jobs.order.empty()) {
      const int64_t pads[] = {0, 0, 0, 0};
      layer.conv = selectionShape(from, int64_t(jobs.order.size()), precision);
      std::optional<Refusal> refusal = int64_t(jobs.order.size()) > kMostSize
                                           ? refuse("the grid needs more than 8192 channels")
                                           : whyNotShape(*layer.conv, pads, options);
      if (refusal) {
        reason = refusal->reason;
        return std::nullopt;
      }
    }
    if (blocks > 1) {
      layer.rubik = {jobOf({from.width, from.height, uint32_t(places.size())})};
    }
    layer.jobs = std::move(jobs);
    return layer;
  }

  // Split and merge
  // --------------------------------------------------------------------------------

  int64_t inBytes(int64_t elements) const { return elements * bytesPerElement(precision); }
  bool isAligned(int64_t elements) const { return inBytes(elements) % kPlaneAlignment == 0; }
  int64_t aligned(int64_t elements) const {
    return int64_t(
        llvm::alignTo(uint64_t(elements), uint64_t(kPlaneAlignment / bytesPerElement(precision))));
  }

  /// Returns one job that stores the cube row by row.
  static PlaneJobs inOrder(CubeSize cube, int64_t pitch) {
    return {int64_t(cube.channels), int64_t(cube.height) * pitch, pitch, {0}};
  }

  std::optional<LayerPlan> layerOf(PlaneJobs split, PlaneJobs merge, int64_t elements) {
    if (int64_t(split.offsets.size() + merge.offsets.size()) > kMostJobs) {
      return std::nullopt;
    }
    LayerPlan layer;
    layer.rubik.assign(split.offsets.size(),
                       jobOf({from.width, from.height, uint32_t(split.channels)}));
    layer.rubik.insert(layer.rubik.end(), merge.offsets.size(),
                       jobOf({to.width, to.height, uint32_t(merge.channels)}));
    layer.jobs = PlanesPlan{std::move(split), std::move(merge), elements};
    return layer;
  }

  /// A reshape keeps the order of all elements. Lines of equal width can have gaps between them.
  std::optional<LayerPlan> planReshape() {
    bool keepsWidth = from.width == to.width;
    if (!keepsWidth && (!isAligned(from.width) || !isAligned(to.width))) {
      reason = "a reshape that changes the width needs rows of a multiple of 64 bytes, which RUBIK "
               "stores without gaps";
      return std::nullopt;
    }
    int64_t pitch = keepsWidth ? aligned(from.width) : from.width;
    int64_t elements = int64_t(from.channels) * from.height * pitch;
    return layerOf(inOrder(from, pitch), inOrder(to, keepsWidth ? pitch : to.width), elements);
  }

  /// Returns the jobs that move `cube` from or to planes in the order of `ordered`, or nothing if
  /// lines do not start at multiples of 64 bytes or channels of one atom have no common step.
  /// `steps` are the digits from `cube` to `ordered`.
  std::optional<PlaneJobs> jobsFor(CubeSize cube, CubeSize ordered, int64_t pitch,
                                   SmallVector<Digit> steps) const {
    llvm::sort(steps, [](const Digit &a, const Digit &b) { return a.fromStep < b.fromStep; });
    const int64_t unit[] = {int64_t(ordered.height) * pitch, pitch, 1};
    PlaneJobs jobs;
    jobs.channels = 1;
    jobs.planeStep = jobs.lineStep = aligned(1);
    jobs.offsets = {0};
    bool hasLines = false, isOneRun = true, isAffine = true;
    for (const Digit &digit : steps) {
      int64_t step = digit.toStep * unit[digit.toDim];
      if (digit.fromDim == kW) {
        isAffine &= step == digit.fromStep;
      } else if (digit.fromDim == kH) {
        jobs.lineStep = hasLines ? jobs.lineStep : step / digit.fromStep;
        hasLines = true;
        isAffine &= jobs.lineStep * digit.fromStep == step && isAligned(jobs.lineStep);
      } else if (isOneRun && (jobs.channels == 1 || jobs.planeStep * jobs.channels == step)) {
        jobs.planeStep = jobs.channels == 1 ? step : jobs.planeStep;
        jobs.channels *= digit.size;
        isAffine &= isAligned(step);
      } else {
        isOneRun = false;
        addOffsets(jobs.offsets, digit.size, step);
        isAffine &= isAligned(step);
      }
    }
    bool isWhole = isOneRun || jobs.channels % lanes == 0;
    return isAffine && isWhole ? std::optional(jobs) : std::nullopt;
  }

  /// Repeats the offsets `size` times, each time `step` further.
  static void addOffsets(SmallVector<int64_t> &offsets, int64_t size, int64_t step) {
    size_t count = offsets.size();
    for (int64_t i = 1; i < size && int64_t(offsets.size()) <= kMostJobs; ++i) {
      for (size_t j = 0; j < count; ++j) {
        offsets.push_back(offsets[j] + i * step);
      }
    }
  }

  /// Plans planes in the order of the result, and in the order of the input.
  std::optional<LayerPlan> planPlanes() {
    if (from.width != to.width && (!isAligned(from.width) || !isAligned(to.width))) {
      return std::nullopt;
    }
    auto pitchOf = [&](CubeSize cube) {
      return from.width == to.width ? aligned(cube.width) : int64_t(cube.width);
    };
    auto elementsOf = [&](CubeSize cube) {
      return int64_t(cube.channels) * cube.height * pitchOf(cube);
    };
    SmallVector<Digit> inverse;
    for (const Digit &digit : *digits) {
      inverse.push_back({digit.size, digit.toDim, digit.toStep, digit.fromDim, digit.fromStep});
    }
    std::optional<LayerPlan> likeResult, likeInput;
    if (std::optional<PlaneJobs> split = jobsFor(from, to, pitchOf(to), *digits)) {
      likeResult = layerOf(std::move(*split), inOrder(to, pitchOf(to)), elementsOf(to));
    }
    if (std::optional<PlaneJobs> merge = jobsFor(to, from, pitchOf(from), inverse)) {
      likeInput = layerOf(inOrder(from, pitchOf(from)), std::move(*merge), elementsOf(from));
    }
    return faster(std::move(likeResult), std::move(likeInput));
  }

  // Turns
  // ------------------------------------------------------------------------------------------

  /// Returns whether dimension d of the input becomes dimension order[d] of the result.
  bool isPermutation(ArrayRef<size_t> order) const {
    for (size_t d = 0; d < order.size(); ++d) {
      if (sizesOf(to)[order[d]] != sizesOf(from)[d]) {
        return false;
      }
    }
    return llvm::all_of(*digits, [&](const Digit &digit) {
      return digit.toDim == order[digit.fromDim] && digit.toStep == digit.fromStep;
    });
  }

  std::optional<LayerPlan> planTurn() const {
    const size_t toLast[] = {kW, kC, kH}, toFirst[] = {kH, kW, kC};
    bool isToLast = isPermutation(toLast);
    bool hasTensors = cast<RankedTensorType>(op->getOperand(0).getType()).getRank() == 4 &&
                      cast<RankedTensorType>(op->getResult(0).getType()).getRank() == 4;
    if (!hasTensors || (!isToLast && !isPermutation(toFirst))) {
      return std::nullopt;
    }
    const CubeSize &cube = isToLast ? from : to; // of atoms that RUBIK reads or writes as lines
    int64_t surfaces = int64_t(llvm::divideCeil(cube.channels, uint64_t(lanes)));
    if (2 * surfaces > kMostJobs) {
      return std::nullopt;
    }
    LayerPlan layer;
    layer.jobs = TurnPlan{isToLast};
    CubeSize half = {uint32_t(lanes), (cube.width + 1) / 2, cube.height};
    layer.rubik.assign(size_t(2 * surfaces), jobOf(half));
    return layer;
  }

  Operation *op;
  const NvdlaOptions &options;
  CubeSize from, to;
  Precision precision;
  int64_t lanes;
  std::optional<SmallVector<Digit>> digits;
  std::string reason =
      "RUBIK moves channels to a grid of pixels or behind the columns, or whole rows; this "
      "rearrangement moves elements of a row in another way";
};

} // namespace

PlannedLayer planRearrangement(Operation *op, const NvdlaOptions &options) {
  return RearrangementPlanner(op, options).run();
}

SmallVector<int64_t> blockOrder(int64_t blocks, int64_t channels, int64_t lanes) {
  SmallVector<int64_t> order;
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t c = 0; c < int64_t(llvm::alignTo(uint64_t(channels), uint64_t(lanes))); ++c) {
      order.push_back(c < channels ? block * channels + c : -1);
    }
  }
  return order;
}

bool isInBlocks(const ChannelMap &map, int64_t blocks, int64_t lanes) {
  SmallVector<int64_t> order = blockOrder(blocks, int64_t(map.size()) / blocks, lanes);
  for (auto [place, channel] : llvm::enumerate(order)) {
    if (channel >= 0 && map[channel] != int64_t(place)) {
      return false;
    }
  }
  return true;
}

} // namespace convoy::nvdla
