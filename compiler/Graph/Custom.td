// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op that calls a C function of the user. The file is separate because few
// files use the op; Graph/Custom.h declares it.

#ifndef CONVOY_GRAPH_CUSTOM
#define CONVOY_GRAPH_CUSTOM

include "Graph/GraphDialect.td"

def Graph_CustomOp : Graph_Op<"custom", WholeClass, [NeverFolds]> {
  let summary = "Calls a C function of the user";
  let description = [{
    Import creates the op from a declaration (`--custom-ops`), which it copies into
    the attributes: no later stage reads the declaration. `convoy/custom_op.h`
    declares the type of `function`. Equal inputs must give equal results, because
    passes may merge and remove calls.

    - [custom.1] `inputNames` has a name for each input.
    - [custom.2] `parameterNames` has a name for each entry of `parameterValues`: an
      `i64`, an `f32`, a string, or an array of `i64` or `f32`.
    - [custom.3] `resultTypes` has the name of an ONNX type or of an input for each
      result.
    - [custom.4] `resultShapes` has the name of an input or an array of dimensions
      for each result. `Graph/DimExpression.h` evaluates dimensions and `operations`.
    - [custom.5] `function` is an identifier of C that does not begin with `convoy`.

    ```mlir
    %y = graph.custom %x {
      op = "com.example.Upsample", function = "upsample", inputNames = ["x"],
      parameterNames = ["factor"], parameterValues = [2 : i64],
      resultTypes = ["x"], resultShapes = [["x[0]", "factor * x[1]"]]
    } : (tensor<3x4xf32>) -> tensor<3x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, StrAttr:$op, StrAttr:$function,
                       StrArrayAttr:$inputNames, StrArrayAttr:$parameterNames,
                       ArrayAttr:$parameterValues, StrArrayAttr:$resultTypes,
                       ArrayAttr:$resultShapes, OptionalAttr<StrAttr>:$operations);
  let results = (outs Variadic<Graph_Tensor>:$values);
}

#endif
