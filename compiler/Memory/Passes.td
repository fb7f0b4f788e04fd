// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares and documents the passes of the memory stage.

#ifndef CONVOY_MEMORY_PASSES_TD
#define CONVOY_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanArenaPass : Pass<"convoy-memory-plan-arena", "mlir::ModuleOp"> {
  let summary = "Lower @main to flat memory with each tensor at a fixed offset";
  let description = [{
    Takes: @main with `task.run`, constants, reshapes and control flow on tensors,
    and kernels that are already on memory. Gives: @main on flat memory: inputs,
    outputs, an arena and the weights. Every other tensor has a fixed offset in the
    arena or in the weights. Two tensors share bytes if they are not live at the
    same time. Reshapes disappear; control flow becomes scf. Attributes of the
    module hold the size of the arena and the content of the weights. Does not do:
    place tensors in more than one memory.

    %0 = task.run @conv_0(%x, %w) : ...                                     // before
    return %0

    func.func @main(%x: memref<..>, %y: memref<..>,                         // after
                    %arena: memref<64xi8>, %weights: memref<4608xi8>) -> i32 {
      %w = memref.view %weights[%offset][] : ...
      call @conv_0(%x, %w, %y, %zero, %range)
  }];
  let dependentDialects = ["convoy::memory::MemoryDialect", "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
  let options = [Option<"reuse", "reuse", "bool", "true",
                        "Let tensors share bytes if they are not live at the same time">];
}

def CheckMemoryContractPass : Pass<"convoy-memory-check-contract", "mlir::ModuleOp"> {
  let summary = "Check that no tensor remains and the module has its memory sizes";
  let description = [{
    Takes: a module after memory planning. Gives: the same module, or an error at
    each op with a tensor result, or at a module without the sizes of its memories.
    Does not do: change the module.

    %y = task.run @unary_0(%x) : (tensor<4xf32>) -> tensor<4xf32>   // error
    call @unary_0(%x, %y, %begin, %end) : ...                       // accepted
  }];
}

#endif // CONVOY_MEMORY_PASSES_TD
