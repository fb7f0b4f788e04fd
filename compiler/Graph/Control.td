// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow ops, and graph.kernel, whose region is lowered to one loop nest.

#ifndef CONVOY_GRAPH_CONTROL
#define CONVOY_GRAPH_CONTROL

include "Graph/GraphDialect.td"

def Graph_YieldOp : Graph_BaseOp<"yield", NoneClass,
    [NeedsNoKernel], [Pure, Terminator, ReturnLike]> {
  let summary = "Terminates a region and returns its values";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Graph_IfOp : Graph_Op<"if", ControlClass, [], [SingleBlock]> {
  let summary = "Runs one of two branches";
  let description = [{
    The branches may use values defined outside of them.
    - [if.1] `condition` has one element of type `i1`.
    - [if.2] both branches yield values of compatible types.
  }];
  let arguments = (ins Graph_Tensor:$condition);
  let results = (outs Variadic<Graph_Value>:$values);
  let regions = (region SizedRegion<1>:$thenBranch, SizedRegion<1>:$elseBranch);
  let assemblyFormat = [{
    $condition $thenBranch `else` $elseBranch attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_LoopOp : Graph_Op<"loop", ControlClass, [], [SingleBlock, AttrSizedOperandSegments]> {
  let summary = "Runs the body while (i < tripCount && condition), as ONNX Loop";
  let description = [{
    The body takes (i : i64 scalar, condition : i1 scalar, carried...) and yields
    (condition, carried..., scanned...). The results are the final carried values,
    then each scanned value stacked along a new first dimension.
    - [loop.1] the body yields 1 + carried + scanned values.
  }];
  let arguments = (ins Optional<Graph_Tensor>:$tripCount, Optional<Graph_Tensor>:$condition,
                       Variadic<Graph_Value>:$carried);
  let results = (outs Variadic<Graph_Value>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    operands $body attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_ScanOp : Graph_Op<"scan", ControlClass, [], [SingleBlock, AttrSizedOperandSegments]> {
  let summary = "Runs the body for each slice of the scanned inputs, as ONNX Scan";
  let description = [{
    The body takes (states..., slices...) and yields (states..., slices...). Axes
    are non-negative. An entry of `inputReverse` or `outputReverse` is true for the
    reverse direction.
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$states, Variadic<Graph_Tensor>:$scanned,
                       DenseI64ArrayAttr:$inputAxes, DenseBoolArrayAttr:$inputReverse,
                       DenseI64ArrayAttr:$outputAxes, DenseBoolArrayAttr:$outputReverse);
  let results = (outs Variadic<Graph_Tensor>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    operands $body attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_FailOp : Graph_BaseOp<"fail", NoneClass, [NeedsNoKernel, NeverFolds]> {
  let summary = "Ends the inference with an error";
  let description = [{
    Represents a branch that has no valid types at the pinned input shapes. Its
    results have the types of the other branch and never have values.
  }];
  let arguments = (ins StrAttr:$message);
  let results = (outs Variadic<Graph_Value>:$values);
  let assemblyFormat = "$message attr-dict (`:` type($values)^)?";
}

def Graph_KernelOp : Graph_Op<"kernel", ControlClass,
    [AcceptsLayouts], [IsolatedFromAbove, SingleBlock]> {
  let summary = "Groups ops that are lowered to one loop nest";
  let description = [{
    The region contains graph ops, so the reference interpreter executes the kernel
    like the ops alone. Constants that the loops fold (scalars, shapes, axes) are
    inside the region; all other values are operands. `config` is a `#kernel`
    attribute: the template that lowers the kernel, and its parameters. Without
    `config`, the generic loop lowering applies.

    ```mlir
    %y = graph.kernel %x, %w {
    ^bb0(%a: tensor<1x8x32x32xf32>, %b: tensor<16x8x3x3xf32>):
      %0 = graph.conv %a, %b {...} : (...) -> tensor<1x16x30x30xf32>
      %1 = graph.unary relu %0 : (...) -> tensor<1x16x30x30xf32>
      graph.yield %1 : tensor<1x16x30x30xf32>
    } : (tensor<1x8x32x32xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x30x30xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, OptionalAttr<AnyAttr>:$config);
  let results = (outs Variadic<Graph_Tensor>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    operands $body attr-dict `:` functional-type(operands, results)
  }];
}

#endif
