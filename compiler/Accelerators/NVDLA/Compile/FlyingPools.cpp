// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a pool with the line buffer of PDP and with the jobs of the SDP that writes its input.

#include "Accelerators/NVDLA/Compile/FlyingPools.h"
#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {

/// Returns how many outputs of a row fit in PDP's line buffer, by the number of output rows whose
/// windows overlap. The size is published for nv_full; this function assumes it for all
/// configurations (docs/targets/nvdla.md, "Register fields and buffers").
static int64_t lineBufferWidth(PdpOp pdp) {
  uint64_t open = llvm::divideCeil(static_cast<uint64_t>(pdp.getKernel()[0]),
                                   static_cast<uint64_t>(pdp.getStrides()[0]));
  return open == 1 ? 512 : open == 2 ? 256 : open <= 4 ? 128 : 64;
}

static bool isOneJob(SdpOp sdp, const NvdlaOptions &options) {
  auto conv = sdp.getSource().getDefiningOp<ConvOp>();
  if (!conv) {
    return true;
  }
  ConvShape shape = shapeOf(conv, *options.config);
  std::vector<ConvPart> parts = splitGroups(shape, options);
  std::optional<BufferPlan> plan = planBuffer(shape, parts.front(), options);
  return parts.size() == 1 && plan && plan->bands.size() == 1 && !shape.isWinograd;
}

bool canFly(PdpOp pdp, const NvdlaOptions &options) {
  auto sdp = pdp.getInput().getDefiningOp<SdpOp>();
  return sdp && sdp->hasOneUse() && cubeOf(pdp.getType())->width <= lineBufferWidth(pdp) &&
         isOneJob(sdp, options);
}

} // namespace convoy::nvdla
