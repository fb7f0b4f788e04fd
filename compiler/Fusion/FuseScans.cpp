// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-fusion-fuse-scans. The template `recurrent` decides which scans become one
// kernel; convoy-fusion-fuse-kernels then groups the ops in the bodies of all other scans.

#include "Fusion/KernelGroup.h"
#include "Fusion/Passes.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::fusion {
#define GEN_PASS_DEF_FUSESCANSPASS
#include "Fusion/Passes.h.inc"

namespace {

struct FuseScans : impl::FuseScansPassBase<FuseScans> {
  void runOnOperation() override {
    SmallVector<graph::ScanOp> scans;
    getOperation().walk([&](graph::ScanOp scan) {
      if (!scan->getParentOfType<graph::KernelOp>()) {
        scans.push_back(scan);
      }
    });
    for (graph::ScanOp scan : scans) {
      // The template sums in order, so it supports both modes of math.
      fusedScans += fuseFor("recurrent", {scan}, /*isStrictMath=*/true).empty();
    }
  }
};

} // namespace
} // namespace convoy::fusion
