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

def Graph_SortSlicesOp : Graph_Op<"sort_slices", WholeClass> {
  let summary = "Returns the stable order of the slices in each row, and the place of each slice";
  let description = [{
    The input has the shape rows x slices x elements. The op compares slices element
    by element; NaN is larger than every number and equals itself. The result has the
    shape 2 x rows x slices: result[0, r, p] is the slice at place p of row r, and
    result[1, r, s] is the place of slice s.
    - [sort_slices.1] the input has rank 3 and a numeric type or `i1`.
  }];
  let arguments = (ins Graph_Tensor:$input, BoolAttr:$descending);
  let results = (outs Graph_Tensor:$result);
}

def Graph_GroupSlicesOp : Graph_Op<"group_slices", WholeClass> {
  let summary = "Returns the first slice that equals each slice, and the number of its group";
  let description = [{
    The input has the shape slices x elements; `order` is the ascending sort_slices
    of the input as one row. The result has the shape 2 x slices: result[0, s] is the
    first slice that equals slice s, and result[1, s] numbers the groups of equal
    slices, in ascending order if `sorted` is set, else in the order of their first
    slices.
    - [group_slices.1] the input has rank 2; `order` has the shape 2 x 1 x slices and
      the type i64.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$order, BoolAttr:$sorted);
  let results = (outs Graph_Tensor:$result);
}

def Graph_BoundedUniqueOp : Graph_BoundedOp<"bounded_unique"> {
  let summary = "Computes unique in memory for all slices and returns the number of groups";
  let description = commonDescription#[{
    `groups` is the group_slices of the input. Its second row is the inverse of
    unique.
    - [bounded_unique.1] `axis` is in [0, rank); without `axis`, the input is a
      vector.
    - [bounded_unique.2] `groups` has the shape 2 x slices and the type i64.

    ```mlir
    %y, %i, %j, %c = graph.unique %x {sorted = true}                      // before
         : (tensor<4xf32>) -> (tensor<?xf32>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>)

    %o = graph.sort_slices %x1 {descending = false}                       // after
         : (tensor<1x4x1xf32>) -> tensor<2x1x4xi64>
    %g = graph.group_slices %x2, %o {sorted = true}
         : (tensor<4x1xf32>, tensor<2x1x4xi64>) -> tensor<2x4xi64>
    %y, %i, %c, %n = graph.bounded_unique %x, %g
         : (tensor<4xf32>, tensor<2x4xi64>)
         -> (tensor<4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1xi64>)
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$groups, OptionalAttr<I64Attr>:$axis);
  let results = (outs Graph_Tensor:$result, Graph_Tensor:$indices, Graph_Tensor:$counts,
                      Graph_Tensor:$extents);
}

def Graph_BoundedSuppressionOp
    : Graph_Op<"bounded_suppression", WholeClass, [], [AttrSizedOperandSegments]> {
  let summary = "Computes non_max_suppression in memory for all boxes and returns their number";
  let description = [{
    In row-major order, the rows of the actual result come first, and zeros follow.
    `extents` holds the number of rows. Without `maxBoxesPerClass`, there are no rows.
    - [bounded_suppression.1] boxes, scores and limits follow the rules of
      non_max_suppression and have static shapes.
    - [bounded_suppression.2] `order` is the descending sort_slices of the scores; a
      row is a class of a batch entry, and a slice is one score.
    - [bounded_suppression.3] `maxRows` is the maximum number of rows of a class, at
      least the smaller of `maxBoxesPerClass` and the number of boxes.

    ```mlir
    %y = graph.non_max_suppression %b, %s, %m {...}                       // before
         : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<1xi64>) -> tensor<?x3xi64>

    %o = graph.sort_slices %s1 {descending = true}                        // after
         : (tensor<2x6x1xf32>) -> tensor<2x2x6xi64>
    %y, %n = graph.bounded_suppression %b, %s, %o, %m {maxRows = 6 : i64, ...}
         : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<2x2x6xi64>, tensor<1xi64>)
         -> (tensor<12x3xi64>, tensor<1xi64>)
    ```
  }];
  let arguments = (ins Graph_Tensor:$boxes, Graph_Tensor:$scores, Graph_Tensor:$order,
                       Optional<Graph_Tensor>:$maxBoxesPerClass,
                       Optional<Graph_Tensor>:$iouThreshold,
                       Optional<Graph_Tensor>:$scoreThreshold, BoolAttr:$boxesAreCentered,
                       I64Attr:$maxRows);
  let results = (outs Graph_Tensor:$result, Graph_Tensor:$extents);
}

#endif
