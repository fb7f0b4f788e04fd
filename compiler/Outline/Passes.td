// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the tasks stage: outline kernels and check the contract.

#ifndef CONVOY_OUTLINE_PASSES_TD
#define CONVOY_OUTLINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitKernelsPass : Pass<"convoy-outline-split-kernels", "mlir::ModuleOp"> {
  let summary = "Outlines each graph.kernel into a function and a task.run; equal kernels share a function";
  let description = [{
    Takes: `graph.kernel` regions. Gives: `task.kernel` ops with the ops of the
    region, and a `task.run` in place of each region. Kernels that differ only in their operands and
    node names share one function, which keeps the location of the first kernel. A run keeps the
    `layout.reasons` of its kernel. Does not do: split a kernel among cores (`convoy-schedule-plan-workers` does, after memory is planned).

    %y = graph.kernel %x { ^bb0(%a: ...): ... graph.yield %1 }        // before

    %y = task.run @unary_0(%x) : ...                                  // after
    task.kernel @unary_0(%a: ...) -> ...
  }];
  let dependentDialects = ["convoy::task::TaskDialect"];
  let options = [Option<"hasProbes", "probes", "bool", "false",
                        "Number the runs with `task.probe`, so that probes can time them">];
  let statistics = [Statistic<"sharedKernels", "shared-kernels", "Runs of a kernel after its first">];
}

def ChooseIoPass : Pass<"convoy-outline-choose-io", "mlir::ModuleOp"> {
  let summary = "Marks the inputs and outputs of @main as parts of the arena";
  let description = [{
    Takes: a module with @main on tensors. Gives: the same module with `task.in_arena` on each
    argument and each result of @main. Bands and Memory then treat these tensors as tensors of the
    arena. With `inputs-by-rows`, arguments with elements have `task.by_rows` instead. Does not do:
    assign offsets (`convoy-memory-plan-arena` does).

    func.func @main(%x: tensor<4xi8>) -> tensor<4xi8>                                     // before
    func.func @main(%x: tensor<4xi8> {task.in_arena}) -> (tensor<4xi8> {task.in_arena})   // after
  }];
  let dependentDialects = ["convoy::task::TaskDialect"];
  let options = [Option<"inputsByRows", "inputs-by-rows", "bool", "false",
                        "Fetch the inputs row by row from functions of the caller">];
}

def CheckOutlineContractPass : Pass<"convoy-outline-check-contract", "mlir::ModuleOp"> {
  let summary = "Checks that no graph.kernel remains";
  let description = [{
    Takes: a module after `convoy-outline-split-kernels`. Gives: the same module, or an error at each
    remaining kernel region. Does not do: change the IR.

    %y = graph.kernel %x { ... }                                    // error
    %y = task.run @unary_0(%x)                                      // passes
  }];
}

#endif // CONVOY_OUTLINE_PASSES_TD
