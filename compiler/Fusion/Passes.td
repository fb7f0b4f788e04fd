// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the fusion stage.

#ifndef CONVOY_FUSION_PASSES_TD
#define CONVOY_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseKernelsPass : Pass<"convoy-fusion-fuse-kernels", "mlir::func::FuncOp"> {
  let summary = "Each computation stands in one graph.kernel with its element-wise neighbours";
  let description = [{
    Takes: primitive graph ops. Gives: `graph.kernel` regions, each with at most
    one op that loops (convolution, product, window, reduction), the element-wise
    ops that consume its result, and element-wise ops that feed a reduction or a
    movement. A value read by more than one op ends a kernel. Scalars, shapes and
    axes are copied inside. Reshapes stay outside: they are views. Does not choose
    loop orders or layouts.

    %0 = graph.conv %x, %w {...}                                  // before
    %1 = graph.unary relu %0

    %1 = graph.kernel %x, %w {                                    // after
    ^bb0(%a: ..., %b: ...):
      %2 = graph.conv %a, %b {...}
      %3 = graph.unary relu %2
      graph.yield %3
    }
  }];
  let options = [Option<"maxOps", "max-ops", "int64_t", "24",
                        "Most ops in one kernel; bounds the size of its code">];
  let statistics = [Statistic<"fusedOps", "fused-ops", "Ops that joined another op's kernel">];
}

def CheckFusionContractPass : Pass<"convoy-fusion-check-contract", "mlir::func::FuncOp"> {
  let summary = "Every computation stands in a graph.kernel";
  let description = [{
    Takes: a function after fusion. Gives: the same, or an error at each op that
    computes outside a kernel; constants, reshapes and control flow may stand
    there. Changes nothing.

    %y = graph.unary abs %x                                         // is refused
    %y = graph.kernel %x { ... graph.unary abs ... }                // passes
  }];
}

#endif // CONVOY_FUSION_PASSES_TD
