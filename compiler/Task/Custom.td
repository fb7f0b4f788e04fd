// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op of the task dialect that calls a C function of the user. The file is separate because few
// files use the op; Task/Custom.h declares it.

#ifndef CONVOY_TASK_CUSTOM_TD
#define CONVOY_TASK_CUSTOM_TD

include "Task/Task.td"

def Task_CallCustomOp : Op<Task_Dialect, "call_custom", [AttrSizedOperandSegments]> {
  let summary = "Calls a C function of the user";
  let description = [{
    `convoy/custom_op.h` declares the type of `function`. `shapes` and `elementTypes` describe the
    inputs, then the outputs; types are those of ONNX. `parameters` are the values of the attributes,
    as in `graph.custom`. If `status` has an error, the op does nothing. If the function fails, the
    op writes an error code to `status`. `cycles` is the estimated time of a call.

    - [call_custom.1] `shapes` and `elementTypes` have an entry for each input and output.
    - [call_custom.2] `function` is an identifier of C that does not begin with `convoy`.

    ```mlir
    task.call_custom "upsample" (%x) to (%y) status %status
        {elementTypes = array<i32: 1, 1>, parameters = [2 : i64],
         shapes = [array<i64: 3, 4>, array<i64: 3, 8>]}
        : (memref<12xf32>), (memref<24xf32>), memref<1xi32>
    ```
  }];
  let arguments = (ins StrAttr:$function, Arg<Variadic<AnyMemRef>, "", [MemRead]>:$inputs,
                       Arg<Variadic<AnyMemRef>, "", [MemWrite]>:$outputs,
                       Arg<AnyMemRef, "", [MemRead, MemWrite]>:$status,
                       TypedArrayAttrBase<DenseI64ArrayAttr, "array of shapes">:$shapes,
                       DenseI32ArrayAttr:$elementTypes, ArrayAttr:$parameters,
                       DefaultValuedAttr<Task_Count, "1">:$cycles);
  let assemblyFormat = [{
    $function `(` $inputs `)` `to` `(` $outputs `)` `status` $status attr-dict `:`
    `(` type($inputs) `)` `,` `(` type($outputs) `)` `,` type($status)
  }];
  let hasVerifier = 1;
}

#endif // CONVOY_TASK_CUSTOM_TD
