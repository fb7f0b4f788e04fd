// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task dialect: kernels as functions, and runs of them.

#ifndef CONVOY_TASKS_TASK_TD
#define CONVOY_TASKS_TASK_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Task_Dialect : Dialect {
  let name = "task";
  let cppNamespace = "::convoy::task";
  let summary = "Macro tasks: what runs, on what, in what order";
  let description = [{
    A kernel is a private function marked `task.kernel`. A task is a run of a
    kernel over its whole outermost range; equal kernels are one function.
  }];
}

def Task_RunOp : Op<Task_Dialect, "run", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run a kernel on tensors";
  let description = [{
    - [run.1] `kernel` names a function marked `task.kernel` whose type is that
      of the operands and results, or, once lowered, memory for each and a range.

    ```mlir
    %y = task.run @conv_0(%x, %w) : (tensor<1x8x32x32xf32>, ...) -> tensor<1x16x30x30xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $values)";
}

#endif // CONVOY_TASKS_TASK_TD
