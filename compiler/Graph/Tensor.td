// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that move, select or generate elements and compute none.

#ifndef CONVOY_GRAPH_TENSOR
#define CONVOY_GRAPH_TENSOR

include "Graph/GraphDialect.td"

def Graph_ConstantOp : Graph_Op<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor known at compile time";
  let description = [{
    Large values are resource blobs, possibly a view of the mapped model file;
    `Graph/Constant.h` reads and makes them. Elements narrower than a byte take
    one byte each.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Graph_ReshapeOp : Graph_Op<"reshape"> {
  let summary = "Same elements in the same order, another shape";
  let description = [{
    - [reshape.1] one entry of `shape` may be -1 and is inferred.
    - [reshape.2] an entry 0 copies the input's dimension unless `allowZero`.
    - [reshape.3] the element counts are equal.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$shape,
                       DefaultValuedAttr<BoolAttr, "false">:$allowZero);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ReorderOp : Graph_Op<"reorder"> {
  let summary = "The same tensor in another physical layout";
  let description = [{
    Inserted by the layout stage; the value does not change.
    - [reorder.1] shape and element type of operand and result are equal.

    ```mlir
    %y = graph.reorder %x : (tensor<1x64x56x56xf32>)
           -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
}

def Graph_TransposeOp : Graph_Op<"transpose"> {
  let summary = "Permute dimensions: result dimension i is input dimension perm[i]";
  let description = [{ - [transpose.1] `perm` is a permutation of the input's dimensions. }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs Graph_Tensor:$result);
}

def Graph_SliceOp : Graph_Op<"slice", [AttrSizedOperandSegments]> {
  let summary = "A strided box of the input";
  let description = [{
    As ONNX Slice: negative starts and ends count from the end, out of range
    ones are clamped, negative steps go backwards.
    - [slice.1] `starts`, `ends`, `axes`, `steps` have one length.
    - [slice.2] no step is 0; no axis is named twice.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$starts, Graph_Tensor:$ends,
                       Optional<Graph_Tensor>:$axes, Optional<Graph_Tensor>:$steps);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ConcatOp : Graph_Op<"concat"> {
  let summary = "Join tensors along one dimension";
  let description = [{
    - [concat.1] `axis` is a dimension, not negative.
    - [concat.2] all other dimensions and the element type are equal.
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_SplitOp : Graph_Op<"split"> {
  let summary = "Cut a tensor into parts along one dimension";
  let description = [{
    - [split.1] `sizes`, where given, has one entry per result and sums to the
      dimension. Without it the parts are ceil(d / n) long, the last smaller.
  }];
  let arguments = (ins Graph_Tensor:$input, Optional<Graph_Tensor>:$sizes, I64Attr:$axis);
  let results = (outs Variadic<Graph_Tensor>:$parts);
}

def Graph_ExpandOp : Graph_Op<"expand"> {
  let summary = "Broadcast to the common shape of the input and `shape`";
  let description = [{ - [expand.1] the two shapes broadcast as in [binary.3]. }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$shape);
  let results = (outs Graph_Tensor:$result);
}

def Graph_TileOp : Graph_Op<"tile"> {
  let summary = "Repeat the input `repeats[i]` times along dimension i";
  let description = [{ - [tile.1] one repeat per dimension, none negative. }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$repeats);
  let results = (outs Graph_Tensor:$result);
}

def Graph_PadMode : I32EnumAttr<"PadMode", "what padding holds", [
    I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
    I32EnumAttrCase<"Edge", 2, "edge">, I32EnumAttrCase<"Wrap", 3, "wrap">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_PadOp : Graph_Op<"pad", [AttrSizedOperandSegments]> {
  let summary = "Add (or, where negative, remove) elements at the borders";
  let description = [{
    - [pad.1] `pads` holds all begins, then all ends, over `axes` or all
      dimensions.
    - [pad.2] no dimension becomes negative.
    `value` is a scalar and defaults to zero; only `constant` mode reads it.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$pads, Optional<Graph_Tensor>:$value,
                       Optional<Graph_Tensor>:$axes, Graph_PadMode:$mode);
  let results = (outs Graph_Tensor:$result);
}

def Graph_GatherOp : Graph_Op<"gather"> {
  let summary = "Take slices of `input` along `axis` at `indices`";
  let description = [{
    result[i..., j..., k...] = input[i..., indices[j...], k...]; negative indices
    count from the end.
    - [gather.1] `axis` is a dimension, not negative.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_GatherElementsOp : Graph_Op<"gather_elements"> {
  let summary = "Take single elements along `axis`, one per element of `indices`";
  let description = [{
    - [gather_elements.1] input and indices have one rank.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_GatherNDOp : Graph_Op<"gather_nd"> {
  let summary = "Take slices at index tuples held in the last dimension of `indices`";
  let description = [{
    - [gather_nd.1] the first `batchDims` dimensions of both are equal.
    - [gather_nd.2] an index tuple is no longer than rank - batchDims.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, I64Attr:$batchDims);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ScatterKind : I32EnumAttr<"ScatterKind", "how an update meets the old value", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Add", 1, "add">,
    I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Max", 4, "max">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_ScatterElementsOp : Graph_Op<"scatter_elements"> {
  let summary = "A copy of `input` with single elements updated along `axis`";
  let description = [{
    Updates apply in the order of `updates`, so with repeated indices the last
    one wins ([scatter_elements.1]: indices and updates have one shape).
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, Graph_Tensor:$updates,
                       I64Attr:$axis, Graph_ScatterKind:$kind);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ScatterNDOp : Graph_Op<"scatter_nd"> {
  let summary = "A copy of `input` with slices at index tuples updated";
  let description = [{
    - [scatter_nd.1] updates has the shape indices.shape[:-1] ++
      input.shape[k:], k being the length of an index tuple.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, Graph_Tensor:$updates,
                       Graph_ScatterKind:$kind);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ShapeOp : Graph_Op<"shape"> {
  let summary = "Dimensions [start, end) of the input as an i64 vector";
  let arguments = (ins Graph_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$start,
                       OptionalAttr<I64Attr>:$end);
  let results = (outs Graph_Tensor:$result);
}

def Graph_RangeOp : Graph_Op<"range"> {
  let summary = "start, start + delta, ... up to and without limit";
  let description = [{ - [range.1] three scalars of one type; delta is not 0. }];
  let arguments = (ins Graph_Tensor:$start, Graph_Tensor:$limit, Graph_Tensor:$delta);
  let results = (outs Graph_Tensor:$result);
}

def Graph_OneHotOp : Graph_Op<"one_hot"> {
  let summary = "values[1] where the new dimension's index equals the element, else values[0]";
  let description = [{
    Elements outside [-depth, depth) give a row of values[0].
    - [one_hot.1] `axis` is where the new dimension stands in the result, not
      negative.
    - [one_hot.2] `depth` is one number of 0 or more; `values` holds two.
  }];
  let arguments = (ins Graph_Tensor:$indices, Graph_Tensor:$depth, Graph_Tensor:$values,
                       I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_TriluOp : Graph_Op<"trilu"> {
  let summary = "Keep the upper or lower triangle of the last two dimensions, zero the rest";
  let description = [{
    Element (i, j) stays when j - i >= k (upper) or j - i <= k (lower).
    - [trilu.1] the input has at least two dimensions; `k` is one integer.
  }];
  let arguments = (ins Graph_Tensor:$input, Optional<Graph_Tensor>:$k, BoolAttr:$upper);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ReverseSequenceOp : Graph_Op<"reverse_sequence"> {
  let summary = "Reverse the first sequenceLens[b] elements along the time axis of each batch";
  let description = [{
    - [reverse_sequence.1] the two axes are dimensions, not negative, and differ.
    - [reverse_sequence.2] one length per batch, none longer than the time axis.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$sequenceLens, I64Attr:$batchAxis,
                       I64Attr:$timeAxis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_CompressOp : Graph_Op<"compress"> {
  let summary = "Slices where `condition` holds; the result's size depends on data";
  let description = [{
    Without `axis` the input counts as a vector. A condition shorter than the
    dimension drops the rest.
    - [compress.1] `axis` is a dimension, not negative.
    - [compress.2] `condition` is a vector of `i1` and selects no slice beyond the
      dimension.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$condition, OptionalAttr<I64Attr>:$axis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_NonZeroOp : Graph_Op<"non_zero"> {
  let summary = "Indices of elements that are not zero, one column each; size depends on data";
  let description = [{ - [non_zero.1] the input holds numbers or `i1`. }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
}

def Graph_UniqueOp : Graph_Op<"unique"> {
  let summary = "Distinct elements or slices, with first index, inverse and counts";
  let description = [{
    Slices sort element by element, NaN last and equal to itself; when not
    `sorted` they stand in the order of their first occurrence.
    - [unique.1] `axis` is a dimension, not negative; without it the input counts
      as a vector.
    - [unique.2] the input holds numbers, `i1` or strings.
  }];
  let arguments = (ins Graph_Tensor:$input, OptionalAttr<I64Attr>:$axis, BoolAttr:$sorted);
  let results = (outs Graph_Tensor:$result, Graph_Tensor:$indices, Graph_Tensor:$inverse,
                      Graph_Tensor:$counts);
}

def Graph_TopKOp : Graph_Op<"top_k"> {
  let summary = "The k largest or smallest elements along `axis` and their indices";
  let description = [{
    Ties go to the lower index. The result is sorted whether or not `sorted`. NaN
    counts as larger than every number.
    - [top_k.1] `axis` is a dimension, not negative.
    - [top_k.2] `k` is one integer from 0 to the size of that dimension.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$k, I64Attr:$axis, BoolAttr:$largest,
                       BoolAttr:$sorted);
  let results = (outs Graph_Tensor:$values, Graph_Tensor:$indices);
}

def Graph_Col2ImOp : Graph_Op<"col2im"> {
  let summary = "Sum column blocks back into an image";
  let description = [{
    - [col2im.1] the input is N x (C * prod(blockShape)) x L, L being the number
      of positions that a block takes.
    - [col2im.2] one block size, dilation and stride per image dimension, all at
      least 1; `pads` holds begins then ends, none negative.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$imageShape, Graph_Tensor:$blockShape,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$strides);
  let results = (outs Graph_Tensor:$result);
}

def Graph_BitcastOp : Graph_Op<"bitcast"> {
  let summary = "Same bits, another element type of the same width";
  let description = [{ - [bitcast.1] both are numbers of one width in bits. }];
  let arguments = (ins Graph_Tensor:$input, TypeAttr:$to);
  let results = (outs Graph_Tensor:$result);
}

#endif
