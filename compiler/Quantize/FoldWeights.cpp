// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds quantized constants that no integer layer uses into floating-point
// constants, using the reference interpreter. Packed matrices stay for the
// fusion stage, which knows whether a template reads them.

#include "Graph/Graph.h"
#include "Graph/PackedMatrix.h"
#include "Quantize/Passes.h"
#include "reference/FoldOp.h"

using namespace mlir;

namespace convoy::quantize {
#define GEN_PASS_DEF_FOLDWEIGHTSPASS
#include "Quantize/Passes.h.inc"

namespace {

struct FoldWeights : impl::FoldWeightsPassBase<FoldWeights> {
  void runOnOperation() override {
    SmallVector<graph::DequantizeLinearOp> ops;
    getOperation().walk([&](graph::DequantizeLinearOp op) { ops.push_back(op); });
    for (graph::DequantizeLinearOp op : ops) {
      if (!graph::isPackedMatrix(op)) {
        reference::foldOp(op);
      }
    }
  }
};

} // namespace
} // namespace convoy::quantize
