// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow, and the region that becomes one loop nest.

#ifndef CONVOY_GRAPH_CONTROL
#define CONVOY_GRAPH_CONTROL

include "Graph/GraphDialect.td"

def Graph_YieldOp : Op<Graph_Dialect, "yield", [Pure, Terminator, ReturnLike]> {
  let summary = "Values of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Graph_IfOp : Graph_Op<"if", [SingleBlock]> {
  let summary = "Run one of two branches";
  let description = [{
    Branches see the values around them.
    - [if.1] `condition` holds one element of `i1`.
    - [if.2] both branches yield values of compatible types.
  }];
  let arguments = (ins Graph_Tensor:$condition);
  let results = (outs Variadic<Graph_Value>:$values);
  let regions = (region SizedRegion<1>:$thenBranch, SizedRegion<1>:$elseBranch);
  let assemblyFormat = [{
    $condition $thenBranch `else` $elseBranch attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_LoopOp : Graph_Op<"loop", [SingleBlock,
                                     AttrSizedOperandSegments]> {
  let summary = "ONNX Loop: while (i < tripCount && condition)";
  let description = [{
    The body takes (i : i64 scalar, condition : i1 scalar, carried...) and
    yields (condition, carried..., scanned...). Results are the final carried
    values, then each scanned value stacked along a new first dimension.
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

def Graph_ScanOp : Graph_Op<"scan", [SingleBlock,
                                     AttrSizedOperandSegments]> {
  let summary = "ONNX Scan: one body step per slice of the scanned inputs";
  let description = [{
    The body takes (states..., slices...) and yields (states..., slices...).
    Axes are not negative; a direction is true for reverse.
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

def Graph_FailOp : Op<Graph_Dialect, "fail"> {
  let summary = "Reaching this op ends the inference with an error";
  let description = [{
    Stands for a branch that cannot be typed at the pinned shapes. Its results
    have the types of the other branch and no values.
  }];
  let arguments = (ins StrAttr:$message);
  let results = (outs Variadic<Graph_Value>:$values);
  let assemblyFormat = "$message attr-dict (`:` type($values)^)?";
}

def Graph_KernelOp : Graph_Op<"kernel", [IsolatedFromAbove,
                                         SingleBlock]> {
  let summary = "Ops that become one loop nest";
  let description = [{
    Holds semantic ops, so the reference executes it like the ops alone.
    Constants that the loops fold in (scalars, shapes, axes) stand inside; all
    other values are operands. `config` is the template that lowers the kernel
    and its settings (a `#kernel` attribute); without one it is the generic loops.

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
