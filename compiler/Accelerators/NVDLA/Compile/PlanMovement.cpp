// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans layers that change no element: concatenations, slices, reshapes and copies of bytes and
// floats. Addresses alone implement most of them.

#include "Accelerators/NVDLA/Compile/LayerPlan.h"
#include "ConvCore/ConvCore.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::nvdla {
namespace {

using accelerators::Refusal;

class MovementPlanner {
public:
  MovementPlanner(Operation *op, const NvdlaOptions &options) : op(op), options(options) {}

  PlannedLayer run() {
    auto isCube = [&](Value value) { return !(refusal = whyNotCube(op, value)); };
    if (llvm::all_of(op->getOperands(), isCube) && isCube(op->getResult(0))) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](convcore::ConcatOp concat) { planConcat(concat); })
          .Case([&](convcore::SliceOp slice) { planSlice(slice); })
          .Case([&](convcore::ReshapeOp reshape) { planReshape(reshape); })
          .Case([&](convcore::RearrangeOp) { rearranged = planRearrangement(op, options); })
          .Default([&](Operation *) { layer.jobs = CopyPlan(); });
    }
    return refusal      ? PlannedLayer(std::move(*refusal))
           : rearranged ? std::move(*rearranged)
                        : PlannedLayer(std::move(layer));
  }

private:
  void refuse(std::string reason) { refusal = Refusal{std::move(reason), "", std::nullopt}; }

  void planConcat(convcore::ConcatOp concat) {
    if (concat.getAxis() != 1) {
      return refuse("the device supports concat only along channels");
    }
    layer.jobs = JoinPlan();
  }

  void planReshape(convcore::ReshapeOp reshape) {
    CubeSize from = *cubeOf(reshape.getInput().getType());
    CubeSize to = *cubeOf(reshape.getType());
    if (from.width == to.width && from.height == to.height && from.channels == to.channels) {
      layer.jobs = ViewPlan();
    } else if (options.config->hasBdmaAndRubik) {
      rearranged = planRearrangement(op, options);
    } else {
      refuse("the device supports only reshapes that keep channels, height and width");
    }
  }

  /// Plans a slice as a view if its first channel is the first of an atom; otherwise a convolution
  /// selects the channels.
  void planSlice(convcore::SliceOp slice) {
    CubeSize from = *cubeOf(slice.getInput().getType());
    CubeSize to = *cubeOf(slice.getType());
    std::array<int64_t, 3> offsets = {slice.getOffsets()[1], 0, 0};
    for (size_t i = 2; i < slice.getOffsets().size(); ++i) {
      offsets[i - 1] = slice.getOffsets()[i];
    }
    bool isWholePlane = from.width == to.width && from.height == to.height;
    if (!isWholePlane && to.width == 1 && to.height == 1) {
      // The engines read a cube of one pixel as one contiguous run of atoms.
      return refuse("the device does not support a slice of one pixel from a larger plane");
    }
    bool isOfFloats =
        isa<FloatType>(cast<RankedTensorType>(slice.getInput().getType()).getElementType());
    int64_t lanes = lanesOf(*options.config, isOfFloats ? Precision::Fp16 : Precision::Int8);
    if (channelMapOf(slice.getInput(), lanes)[offsets[0]] % lanes == 0) {
      layer.jobs = ViewPlan{offsets};
      return;
    }
    SelectPlan jobs;
    jobs.first = offsets[0];
    if (!isWholePlane) {
      jobs.plane = ViewPlan{{0, offsets[1], offsets[2]}};
    }
    if (isOfFloats || setSelection({to.width, to.height, from.channels}, to.channels)) {
      layer.jobs = jobs;
    }
  }

  /// Refuses the layer if CONV cannot select the channels.
  bool setSelection(CubeSize plane, int64_t channels) {
    const int64_t pads[] = {0, 0, 0, 0};
    layer.conv = selectionShape(plane, channels, Precision::Int8);
    refusal = whyNotShape(*layer.conv, pads, options);
    return !refusal;
  }

  Operation *op;
  const NvdlaOptions &options;
  LayerPlan layer;
  std::optional<PlannedLayer> rearranged;
  std::optional<Refusal> refusal;
};

} // namespace

ConvShape selectionShape(CubeSize plane, int64_t channels, Precision precision) {
  const int64_t weight[] = {channels, plane.channels, 1, 1};
  const int64_t ones[] = {1, 1};
  const int64_t pads[] = {0, 0, 0, 0};
  ConvGeometry geometry;
  geometry.precision = precision;
  geometry.input = plane;
  geometry.weight = weight;
  geometry.strides = geometry.dilations = ones;
  geometry.pads = pads;
  geometry.output = {plane.width, plane.height, uint32_t(channels)};
  return shapeOf(geometry);
}

PlannedLayer planMovement(Operation *op, const NvdlaOptions &options) {
  return MovementPlanner(op, options).run();
}

} // namespace convoy::nvdla
