// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the tasks stage.

#ifndef CONVOY_TASKS_PASSES_TD
#define CONVOY_TASKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitKernelsPass : Pass<"convoy-tasks-split-kernels", "mlir::ModuleOp"> {
  let summary = "Each graph.kernel is a task.run of a function; equal kernels share one";
  let description = [{
    Takes: `graph.kernel` regions. Gives: private functions marked `task.kernel`
    with the region's ops, and `task.run` in place of each region. Kernels that
    differ only in their operands and node names become one function. The
    function keeps the location of the first. One task per kernel: cutting a
    kernel's range among cores is not done here yet.

    %y = graph.kernel %x { ^bb0(%a: ...): ... graph.yield %1 }        // before

    %y = task.run @unary_0(%x) : ...                                  // after
    func.func private @unary_0(%a: ...) -> ... attributes {task.kernel}
  }];
  let dependentDialects = ["convoy::task::TaskDialect"];
  let statistics = [Statistic<"sharedKernels", "shared-kernels", "Runs of a kernel beyond its first">];
}

def CheckTasksContractPass : Pass<"convoy-tasks-check-contract", "mlir::ModuleOp"> {
  let summary = "No graph.kernel is left";
  let description = [{
    Takes: a module after tasks are split. Gives: the same, or an error at each
    kernel region that is no function yet. Changes nothing.

    %y = graph.kernel %x { ... }                                    // is refused
    %y = task.run @unary_0(%x)                                      // passes
  }];
}

#endif // CONVOY_TASKS_PASSES_TD
