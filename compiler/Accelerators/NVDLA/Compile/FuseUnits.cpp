// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how units execute a layer: images instead of cubes, Winograd mode if it takes fewer
// cycles, and on-the-fly pooling. SDP passes its result to PDP on the fly if one job writes the
// whole cube and the partial results of one output row fit in PDP's line buffer.

#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Accelerators/NVDLA/Compile/EmitLoadable.h"
#include "Accelerators/NVDLA/Compile/LowerConvCore.h"
#include "Accelerators/NVDLA/Cycles/CycleModel.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "Graph/Graph.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {
namespace {

/// Returns how many outputs of a row fit in PDP's line buffer, by the number of output rows whose
/// windows overlap. NVDLA's Unit Description (nvdla.org) documents the size for nv_full; this
/// function assumes the same size for all configurations.
int64_t lineBufferWidth(PdpOp pdp) {
  uint64_t open = llvm::divideCeil(static_cast<uint64_t>(pdp.getKernel()[0]),
                                   static_cast<uint64_t>(pdp.getStrides()[0]));
  return open == 1 ? 512 : open == 2 ? 256 : open <= 4 ? 128 : 64;
}

bool isOneJob(SdpOp sdp, const NvdlaOptions &options) {
  if (sdp.getSource().getDefiningOp<BlendOp>()) {
    return false; // one job per atom
  }
  auto conv = sdp.getSource().getDefiningOp<ConvOp>();
  if (!conv) {
    return true;
  }
  ConvShape shape = shapeOf(conv, *options.config);
  std::vector<ConvPart> parts = splitGroups(shape, options);
  std::optional<BufferPlan> plan = planBuffer(shape, parts.front(), options);
  return parts.size() == 1 && plan && plan->bands.size() == 1 && !shape.isWinograd;
}

/// Returns whether SDP can pass its result to PDP on the fly.
bool canFly(PdpOp pdp, const NvdlaOptions &options) {
  auto sdp = pdp.getInput().getDefiningOp<SdpOp>();
  return sdp && sdp->hasOneUse() && cubeOf(pdp.getType())->width <= lineBufferWidth(pdp) &&
         isOneJob(sdp, options);
}

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

bool canBeWinograd(ConvOp conv, const ConvShape &shape) {
  auto sdp = cast<SdpOp>(*conv->getUsers().begin());
  bool isWhole = shape.outWidth % 4 == 0 && shape.outHeight % 4 == 0;
  auto isPlaced = [](Value data) {
    return !data || data.getDefiningOp<graph::ConstantOp>() || canPadToTiles(data);
  };
  return shape.precision == Precision::Fp16 && shape.groups == 1 && shape.samples == 0 &&
         shape.kernelWidth == 3 && shape.kernelHeight == 3 && shape.strideX == 1 &&
         shape.strideY == 1 && shape.dilationX == 1 && shape.dilationY == 1 &&
         inTiles(shape.outWidth) >= 8 && inTiles(shape.outHeight) >= 8 &&
         (isWhole ||
          (canPadToTiles(sdp) && isPlaced(sdp.getX1Data()) && isPlaced(sdp.getX2Data())));
}

} // namespace

void chooseImages(mlir::Block &block, const NvdlaOptions &options) {
  constexpr int64_t kMostChannels = 4;
  for (BlockArgument argument : block.getArguments()) {
    auto conv = argument.hasOneUse() ? dyn_cast<ConvOp>(*argument.getUsers().begin()) : ConvOp();
    bool isPlain = conv && conv.getGroups() == 1 && conv.getDilations()[0] == 1 &&
                   conv.getDilations()[1] == 1 &&
                   cubeOf(argument.getType())->channels <= kMostChannels;
    if (!isPlain) {
      continue;
    }
    conv.setImage(true);
    ConvShape shape = shapeOf(conv, *options.config);
    if (!planBuffer(shape, splitGroups(shape, options).front(), options)) {
      conv.setImage(false);
    }
  }
}

void splitPools(mlir::Block &block, const NvdlaOptions &options) {
  if (options.isSeparate) {
    return;
  }
  for (PdpOp pdp : llvm::to_vector(block.getOps<PdpOp>())) {
    auto join = pdp.getInput().getDefiningOp<JoinOp>();
    // For fp16 only joins of two inputs are split, to limit the number of operations.
    size_t most = precisionOf(pdp.getType()) == Precision::Int8 ? 4 : 2;
    if (!join || !join->hasOneUse() || join.getInputs().size() > most) {
      continue;
    }
    OpBuilder builder(pdp);
    SmallVector<Value> parts;
    for (Value input : join.getInputs()) {
      auto type = cast<RankedTensorType>(pdp.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[1] = cubeOf(input.getType())->channels;
      parts.push_back(builder.create<PdpOp>(
          pdp.getLoc(), type.clone(shape), input, pdp.getMethodAttr(), pdp.getKernelAttr(),
          pdp.getStridesAttr(), pdp.getPadsAttr(), pdp.getPadValueAttr()));
    }
    pdp.getResult().replaceAllUsesWith(
        builder.create<JoinOp>(join.getLoc(), pdp.getType(), parts).getResult());
    pdp.erase();
    join.erase();
  }
}

void chooseWinograd(mlir::Block &block, const NvdlaOptions &options) {
  if (options.isSeparate || options.savesMemory || !options.config->hasWideTypes) {
    return; // Winograd weights are 16/9 as large
  }
  for (ConvOp conv : block.getOps<ConvOp>()) {
    ConvShape direct = shapeOf(conv, *options.config);
    if (!canBeWinograd(conv, direct)) {
      continue;
    }
    std::vector<ConvPart> parts = splitGroups(direct, options);
    ConvShape tiled = direct;
    tiled.isWinograd = true;
    if (!planBuffer(tiled, parts.front(), options)) {
      continue;
    }
    // PDP reads rows, not tiles, so Winograd mode prevents on-the-fly pooling and adds the cost of
    // a separate pass.
    auto sdp = cast<SdpOp>(*conv->getUsers().begin());
    auto pdp = sdp->hasOneUse() ? dyn_cast<PdpOp>(*sdp->getUsers().begin()) : PdpOp();
    uint64_t pass = pdp && canFly(pdp, options) ? cyclesOf(pdp, options) : 0;
    conv.setWinograd(cyclesOf(tiled, parts, options) + pass <
                     std::max(cyclesOf(direct, parts, options), pass));
  }
}

void fuseUnits(mlir::Block &block, const NvdlaOptions &options) {
  if (options.isSeparate) {
    return;
  }
  for (PdpOp pdp : llvm::to_vector(block.getOps<PdpOp>())) {
    if (canFly(pdp, options)) {
      auto sdp = pdp.getInput().getDefiningOp<SdpOp>();
      sdp.setToPdp(true);
      pdp->moveAfter(sdp);
    }
  }
}

} // namespace convoy::nvdla
