// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the memory stage.

#ifndef CONVOY_MEMORY_PASSES_TD
#define CONVOY_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanArenaPass : Pass<"convoy-memory-plan-arena", "mlir::ModuleOp"> {
  let summary = "@main works on inputs, outputs, one arena and one block of weights";
  let description = [{
    Takes: @main of `task.run`, constants, reshapes and control flow on tensors,
    and kernels already on memory. Gives: @main on flat memory: inputs, outputs,
    an arena and the weights, with every other tensor at an offset fixed here. Two
    tensors share bytes when they are never alive at the same time. Reshapes
    vanish; control flow becomes scf. The module says how large the arena is and
    what the weights hold. Does not place anything in more than one memory yet.

    %0 = task.run @conv_0(%x, %w) : ...                                     // before
    return %0

    func.func @main(%x: memref<..>, %y: memref<..>,                         // after
                    %arena: memref<64xi8>, %weights: memref<4608xi8>) -> i32 {
      %w = memref.view %weights[%offset][] : ...
      call @conv_0(%x, %w, %y, %zero, %range)
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
  let options = [Option<"reuse", "reuse", "bool", "true",
                        "Let tensors that are never alive together share bytes">];
}

def CheckMemoryContractPass : Pass<"convoy-memory-check-contract", "mlir::ModuleOp"> {
  let summary = "No tensor is left, and the module says its sizes";
  let description = [{
    Takes: a module after memory planning. Gives: the same, or an error at each op
    that still gives a tensor, or at a module without sizes. Changes nothing.

    %y = task.run @unary_0(%x) : (tensor<4xf32>) -> tensor<4xf32>   // is refused
    call @unary_0(%x, %y, %begin, %end) : ...                       // passes
  }];
}

#endif // CONVOY_MEMORY_PASSES_TD
