// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops whose results have sizes that depend on data, in memory of a maximum size.
// convoy-graph-insert-extents creates them for outputs of a model. The file is
// separate because few files use these ops; Graph/Extent.h declares them.

#ifndef CONVOY_GRAPH_EXTENT
#define CONVOY_GRAPH_EXTENT

include "Graph/GraphDialect.td"

class Graph_BoundedOp<string mnemonic> : Graph_Op<mnemonic, WholeClass> {
  string commonDescription = [{
    The type of a bounded result has the maximum size. In row-major order, the
    elements of the actual result come first and without gaps, and zeros follow.
    `extents` holds the sizes that are known only after a run.
  }];
}

def Graph_BoundedCompressOp : Graph_BoundedOp<"bounded_compress"> {
  let summary = "Computes compress in memory for all slices and returns the number of slices";
  let description = commonDescription#[{
    The op ignores entries of `condition` beyond the dimension.
    - [bounded_compress.1] `axis` is in [0, rank); without `axis`, the input is a
      vector.
    - [bounded_compress.2] `condition` is a vector of `i1`.

    ```mlir
    %y = graph.compress %x, %c {axis = 0 : i64}                           // before
         : (tensor<4x2xf32>, tensor<3xi1>) -> tensor<?x2xf32>

    %y, %n = graph.bounded_compress %x, %c {axis = 0 : i64}               // after
         : (tensor<4x2xf32>, tensor<3xi1>) -> (tensor<3x2xf32>, tensor<1xi64>)
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$condition, OptionalAttr<I64Attr>:$axis);
  let results = (outs Graph_Tensor:$result, Graph_Tensor:$extents);
}

def Graph_BoundedNonZeroOp : Graph_BoundedOp<"bounded_non_zero"> {
  let summary = "Computes non_zero in memory for all elements and returns the number of columns";
  let description = commonDescription#[{
    - [bounded_non_zero.1] the input has a numeric type or `i1`.

    ```mlir
    %y = graph.non_zero %x : (tensor<3x4xf32>) -> tensor<2x?xi64>         // before

    %y, %n = graph.bounded_non_zero %x                                    // after
         : (tensor<3x4xf32>) -> (tensor<2x12xi64>, tensor<1xi64>)
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result, Graph_Tensor:$extents);
}

#endif
