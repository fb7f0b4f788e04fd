// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuses a pool with the SDP that writes its input: SDP passes the result to PDP without memory.

#include "Accelerators/NVDLA/Compile/FlyingPools.h"
#include "Accelerators/NVDLA/Compile/Passes.h"

using namespace mlir;

namespace convoy::nvdla {
#define GEN_PASS_DEF_FUSEUNITSPASS
#include "Accelerators/NVDLA/Compile/Passes.h.inc"

namespace {

struct FuseUnits : impl::FuseUnitsPassBase<FuseUnits> {
  using FuseUnitsPassBase::FuseUnitsPassBase;

  void runOnOperation() override {
    std::optional<NvdlaOptions> options = requireOptions(getOperation(), config);
    if (!options) {
      return signalPassFailure();
    }
    if (options->isSeparate) {
      return;
    }
    for (PdpOp pdp : llvm::to_vector(getOperation().getBody().front().getOps<PdpOp>())) {
      if (canFly(pdp, *options)) {
        auto sdp = pdp.getInput().getDefiningOp<SdpOp>();
        sdp.setToPdp(true);
        pdp->moveAfter(sdp);
      }
    }
  }
};

} // namespace
} // namespace convoy::nvdla
