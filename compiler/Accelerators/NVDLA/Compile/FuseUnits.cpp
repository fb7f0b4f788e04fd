// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SDP gives to PDP without memory between them, where one job writes the whole cube and
// a row of what PDP has begun fits its line buffer.

#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Accelerators/NVDLA/Compile/EmitLoadable.h"
#include "Accelerators/NVDLA/Compile/LowerLayers.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {
namespace {

/// Outputs of a row that the line buffer holds, by how many rows of windows overlap
/// (ACCELERATORS A.5; documented for nv_full, taken for the others too).
int64_t lineBufferWidth(PdpOp pdp) {
  uint64_t open = llvm::divideCeil(static_cast<uint64_t>(pdp.getKernel()[0]),
                                   static_cast<uint64_t>(pdp.getStrides()[0]));
  return open == 1 ? 512 : open == 2 ? 256 : open <= 4 ? 128 : 64;
}

bool isOneJob(SdpOp sdp, const CompileOptions &options) {
  if (sdp.getSource().getDefiningOp<BlendOp>()) {
    return false; // a job for each atom
  }
  auto conv = sdp.getSource().getDefiningOp<ConvOp>();
  if (!conv) {
    return true;
  }
  ConvShape shape = shapeOf(conv, *options.config);
  std::vector<ConvPart> parts = splitGroups(shape, options);
  std::optional<BufferPlan> plan = planBuffer(shape, parts.front(), options);
  return parts.size() == 1 && plan && plan->bands.size() == 1;
}

} // namespace

void chooseImages(mlir::Block &block, const CompileOptions &options) {
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

void fuseUnits(mlir::Block &block, const CompileOptions &options) {
  if (options.isSeparate) {
    return;
  }
  for (PdpOp pdp : llvm::to_vector(block.getOps<PdpOp>())) {
    auto sdp = pdp.getInput().getDefiningOp<SdpOp>();
    bool isAlone = sdp && sdp->hasOneUse();
    if (isAlone && cubeOf(pdp.getType())->width <= lineBufferWidth(pdp) && isOneJob(sdp, options)) {
      sdp.setToPdp(true);
      pdp->moveAfter(sdp);
    }
  }
}

} // namespace convoy::nvdla
