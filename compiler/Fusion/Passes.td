// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares and documents the passes of the fusion stage.

#ifndef CONVOY_FUSION_PASSES_TD
#define CONVOY_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseKernelsPass : Pass<"convoy-fusion-fuse-kernels", "mlir::func::FuncOp"> {
  let summary = "Group each computation and its element-wise neighbours into one graph.kernel";
  let description = [{
    Takes: primitive graph ops. Gives: `graph.kernel` regions, each with at most
    one op that loops (convolution, product, window, reduction), the element-wise
    ops that consume its result, and the element-wise ops that produce the operand
    of a reduction or of a data movement. A value with more than one reader ends a
    kernel, unless all its readers are element-wise ops of one kernel. The pass
    copies scalars, shapes and axes into the kernel. Reshapes stay outside, because
    they are views. Does not do: choose loop orders or layouts.

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
                        "Maximum number of ops in one kernel; limits the size of its code">];
  let statistics = [Statistic<"fusedOps", "fused-ops", "Number of ops that were fused into the kernel of another op">];
}

def CheckFusionContractPass : Pass<"convoy-fusion-check-contract", "mlir::func::FuncOp"> {
  let summary = "Check that every computation is inside a graph.kernel";
  let description = [{
    Takes: a function after fusion. Gives: the same function, or an error at each
    op that computes outside a kernel. Constants, reshapes and control flow may be
    outside. Does not do: change the function.

    %y = graph.unary abs %x                                         // error
    %y = graph.kernel %x { ... graph.unary abs ... }                // accepted
  }];
}

#endif // CONVOY_FUSION_PASSES_TD
