// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the convolutions that run in Winograd mode: those that take fewer cycles according to the
// cycle model, including the cost of a pool that can no longer run on the fly.

#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Accelerators/NVDLA/Compile/FlyingPools.h"
#include "Accelerators/NVDLA/Compile/Passes.h"
#include "Accelerators/NVDLA/Cycles/CycleModel.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::nvdla {
#define GEN_PASS_DEF_CHOOSEWINOGRADPASS
#include "Accelerators/NVDLA/Compile/Passes.h.inc"

namespace {

uint64_t cyclesOf(PdpOp pdp, const NvdlaOptions &options) {
  FusedJob job;
  job.pdp = PdpJob();
  job.pdp->precision = precisionOf(pdp.getType());
  job.pdp->input = *cubeOf(pdp.getInput().getType());
  CubeSize out = *cubeOf(pdp.getType());
  job.pdp->outWidth = out.width;
  job.pdp->outHeight = out.height;
  return estimateCycles(job, *options.config).totalCycles;
}

/// Returns whether a cube can be padded to whole tiles. The caller's tensors and views of larger
/// cubes cannot.
bool canPadToTiles(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<SdpOp, PdpOp, CdpOp, JoinOp>(op) &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           return isa<JoinOp>(user) ? canPadToTiles(user->getResult(0))
                                    : !user->hasTrait<OpTrait::IsTerminator>();
         });
}

bool isSuitable(const ConvShape &shape) {
  return shape.precision == Precision::Fp16 && shape.groups == 1 && shape.samples == 0 &&
         shape.kernelWidth == 3 && shape.kernelHeight == 3 && shape.strideX == 1 &&
         shape.strideY == 1 && shape.dilationX == 1 && shape.dilationY == 1 &&
         inTiles(shape.outWidth) >= 8 && inTiles(shape.outHeight) >= 8;
}

/// Returns whether all cubes that the jobs write or read as operands have whole tiles.
bool hasTiles(SdpOp sdp, const ConvShape &shape) {
  auto isPlaced = [](Value data) {
    return !data || data.getDefiningOp<graph::ConstantOp>() || canPadToTiles(data);
  };
  bool isWhole = shape.outWidth % 4 == 0 && shape.outHeight % 4 == 0;
  return isWhole || (canPadToTiles(sdp) && isPlaced(sdp.getX1Data()) && isPlaced(sdp.getX2Data()));
}

/// Returns whether Winograd mode is possible and takes fewer cycles.
bool isFaster(ConvOp conv, const NvdlaOptions &options) {
  ConvShape direct = shapeOf(conv, *options.config);
  auto sdp = cast<SdpOp>(*conv->getUsers().begin());
  if (!isSuitable(direct) || !hasTiles(sdp, direct)) {
    return false;
  }
  std::vector<ConvPart> parts = splitGroups(direct, options);
  ConvShape tiled = direct;
  tiled.isWinograd = true;
  if (!planBuffer(tiled, parts.front(), options)) {
    return false;
  }
  // PDP reads rows, not tiles, so Winograd mode prevents on-the-fly pooling and adds the cost of a
  // separate pass.
  auto pdp = sdp->hasOneUse() ? dyn_cast<PdpOp>(*sdp->getUsers().begin()) : PdpOp();
  uint64_t pass = pdp && canFly(pdp, options) ? cyclesOf(pdp, options) : 0;
  return cyclesOf(tiled, parts, options) + pass < std::max(cyclesOf(direct, parts, options), pass);
}

struct ChooseWinograd : impl::ChooseWinogradPassBase<ChooseWinograd> {
  using ChooseWinogradPassBase::ChooseWinogradPassBase;

  void runOnOperation() override {
    std::optional<NvdlaOptions> options = requireOptions(getOperation(), config);
    if (!options) {
      return signalPassFailure();
    }
    if (options->isSeparate || options->savesMemory || !options->config->hasWideTypes) {
      return; // Winograd weights are 16/9 as large
    }
    for (ConvOp conv : getOperation().getBody().front().getOps<ConvOp>()) {
      conv.setWinograd(isFaster(conv, *options));
    }
  }
};

} // namespace
} // namespace convoy::nvdla
