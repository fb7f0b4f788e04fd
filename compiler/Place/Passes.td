// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the place stage.

#ifndef CONVOY_PLACE_PASSES_TD
#define CONVOY_PLACE_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckCpuPass : Pass<"convoy-place-check-cpu", "mlir::ModuleOp"> {
  let summary = "Every op can run on the CPU";
  let description = [{
    Takes: the graph after composites are lowered. Gives: the same graph, or one
    error per op that no kernel template covers, with the node's name, the
    reason and the nearest form that works; where inputs fix a size, they are named
    with the flags that bind them. Changes nothing.

    error: node 'nms' (NonMaxSuppression): not supported on the CPU: the size of
    its result depends on data; `--target=reference` runs it            // printed
  }];
}

#endif // CONVOY_PLACE_PASSES_TD
