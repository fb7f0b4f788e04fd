// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the layout stage.

#ifndef CONVOY_LAYOUT_PASSES_TD
#define CONVOY_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckPlanarPass : Pass<"convoy-layout-check-planar", "mlir::func::FuncOp"> {
  let summary = "No tensor type carries a layout encoding";
  let description = [{
    Takes: kernels. Gives: the same, or an error at each op with a tensor type
    that still has an encoding such as `#graph.blocked<c = 16>`: bufferisation
    would drop it in silence. All layouts are planar row-major so far; choosing
    blocked ones is not done here yet.

    tensor<1x64x56x56xf32>                                // passes
    tensor<1x64x56x56xf32, #graph.blocked<c = 16>>        // is refused
  }];
}

#endif // CONVOY_LAYOUT_PASSES_TD
