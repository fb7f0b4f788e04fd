// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that move, select or generate elements and do no arithmetic.

#ifndef CONVOY_GRAPH_TENSOR
#define CONVOY_GRAPH_TENSOR

include "Graph/GraphDialect.td"

def Graph_ConstantOp : Graph_Op<"constant", NoneClass,
    [ComputedFact<"collapsesDimensions">, NeedsNoKernel, AcceptsLayouts],
    [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "Returns a tensor that is known at compile time";
  let description = [{
    Large values are resource blobs, which may be views of the memory-mapped model
    file. `Graph/Constant.h` reads and creates them. Each element narrower than a
    byte uses one byte.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Graph_ReshapeOp : Graph_Op<"reshape", MovementClass,
    [StaticOperands<["shape"]>, NeedsNoKernel, NamesStorage, CommutesWithQuantization]> {
  let summary = "Changes the shape and keeps the elements and their order";
  let description = [{
    - [reshape.1] one entry of `shape` may be -1 and is inferred.
    - [reshape.2] an entry 0 copies the input's dimension unless `allowZero`.
    - [reshape.3] the numbers of elements are equal.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$shape,
                       DefaultValuedAttr<BoolAttr, "false">:$allowZero);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ReorderOp : Graph_Op<"reorder", MovementClass, [NamesStorage, AcceptsLayouts]> {
  let summary = "Copies a tensor into another physical layout";
  let description = [{
    The layout stage inserts this op. The logical value does not change.
    - [reorder.1] shape and element type of operand and result are equal.

    ```mlir
    %y = graph.reorder %x : (tensor<1x64x56x56xf32>)
           -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
}

def Graph_TransposeOp : Graph_Op<"transpose", MovementClass,
    [ReadsOnce, CommutesWithQuantization]> {
  let summary = "Permutes dimensions: result dimension i is input dimension perm[i]";
  let description = [{ - [transpose.1] `perm` is a permutation of the input's dimensions. }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs Graph_Tensor:$result);
}

def Graph_SliceOp : Graph_Op<"slice", MovementClass,
    [StaticOperands<["starts", "ends", "axes", "steps"]>, ReadsOnce, CommutesWithQuantization],
    [AttrSizedOperandSegments]> {
  let summary = "Extracts a strided box of the input";
  let description = [{
    The semantics are those of ONNX Slice: negative starts and ends count from the
    end, starts and ends out of range are clamped, and negative steps go backwards.
    - [slice.1] `starts`, `ends`, `axes`, `steps` have the same length.
    - [slice.2] no step is 0; axes are distinct.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$starts, Graph_Tensor:$ends,
                       Optional<Graph_Tensor>:$axes, Optional<Graph_Tensor>:$steps);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ConcatOp : Graph_Op<"concat", WholeClass,
    [ReadsOnce, NamesStorage, AcceptsLayouts]> {
  let summary = "Concatenates tensors along one dimension";
  let description = [{
    - [concat.1] `axis` is in [0, rank).
    - [concat.2] all other dimensions and the element type are equal.
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_SplitOp : Graph_Op<"split", NoneClass> {
  let summary = "Splits a tensor into parts along one dimension";
  let description = [{
    - [split.1] `sizes`, if present, has one entry per result and sums to the size
      of the dimension. Without `sizes`, n parts of a dimension of size d have size
      ceil(d / n); the last part may be smaller.
  }];
  let arguments = (ins Graph_Tensor:$input, Optional<Graph_Tensor>:$sizes, I64Attr:$axis);
  let results = (outs Variadic<Graph_Tensor>:$parts);
}

def Graph_ExpandOp : Graph_Op<"expand", MovementClass,
    [StaticOperands<["shape"]>, CommutesWithQuantization]> {
  let summary = "Broadcasts to the common shape of the input and `shape`";
  let description = [{ - [expand.1] the two shapes broadcast as in [binary.3]. }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$shape);
  let results = (outs Graph_Tensor:$result);
}

def Graph_TileOp : Graph_Op<"tile", MovementClass,
    [StaticOperands<["repeats"]>, CommutesWithQuantization]> {
  let summary = "Repeats the input `repeats[i]` times along dimension i";
  let description = [{ - [tile.1] `repeats` has one non-negative entry per dimension. }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$repeats);
  let results = (outs Graph_Tensor:$result);
}

def Graph_PadMode : I32EnumAttr<"PadMode", "what padding holds", [
    I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
    I32EnumAttrCase<"Edge", 2, "edge">, I32EnumAttrCase<"Wrap", 3, "wrap">]> {
  let cppNamespace = "::convoy::graph";
}

def Graph_PadOp : Graph_Op<"pad", MovementClass,
    [StaticOperands<["pads", "axes"]>, ReadsOnce], [AttrSizedOperandSegments]> {
  let summary = "Adds elements at the borders; a negative pad removes elements";
  let description = [{
    - [pad.1] `pads` holds the begin of each dimension, then the end of each
      dimension, for `axes` or all dimensions.
    - [pad.2] no dimension becomes negative.

    `value` is a scalar and defaults to zero; only `constant` mode reads it.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$pads, Optional<Graph_Tensor>:$value,
                       Optional<Graph_Tensor>:$axes, Graph_PadMode:$mode);
  let results = (outs Graph_Tensor:$result);
}

def Graph_GatherOp : Graph_Op<"gather", MovementClass, [CommutesWithQuantization]> {
  let summary = "Gathers slices of `input` along `axis` at `indices`";
  let description = [{
    result[i..., j..., k...] = input[i..., indices[j...], k...]; negative indices
    count from the end.
    - [gather.1] `axis` is in [0, rank).
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_GatherElementsOp : Graph_Op<"gather_elements", MovementClass> {
  let summary = "Gathers single elements along `axis`, one per element of `indices`";
  let description = [{
    - [gather_elements.1] input and indices have the same rank.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_GatherNDOp : Graph_Op<"gather_nd", MovementClass> {
  let summary = "Gathers slices at the index tuples in the last dimension of `indices`";
  let description = [{
    - [gather_nd.1] the first `batchDims` dimensions of input and indices are equal.
    - [gather_nd.2] an index tuple has at most rank - batchDims entries.
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

def Graph_ScatterElementsOp : Graph_Op<"scatter_elements", WholeClass> {
  let summary = "Copies `input` and updates single elements along `axis`";
  let description = [{
    The op applies updates in the order of `updates`, so the last update of a
    repeated index is the final value.
    - [scatter_elements.1] indices and updates have the same shape.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, Graph_Tensor:$updates,
                       I64Attr:$axis, Graph_ScatterKind:$kind);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ScatterNDOp : Graph_Op<"scatter_nd", WholeClass> {
  let summary = "Copies `input` and updates slices at index tuples";
  let description = [{
    - [scatter_nd.1] updates has the shape indices.shape[:-1] ++ input.shape[k:],
      where k is the length of an index tuple.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$indices, Graph_Tensor:$updates,
                       Graph_ScatterKind:$kind);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ShapeOp : Graph_Op<"shape", MovementClass> {
  let summary = "Returns the dimensions [start, end) of the input as an i64 vector";
  let arguments = (ins Graph_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$start,
                       OptionalAttr<I64Attr>:$end);
  let results = (outs Graph_Tensor:$result);
}

def Graph_RangeOp : Graph_Op<"range", MovementClass> {
  let summary = "Returns start, start + delta, ... up to limit (exclusive)";
  let description = [{ - [range.1] the operands are scalars of the same type; delta is not 0. }];
  let arguments = (ins Graph_Tensor:$start, Graph_Tensor:$limit, Graph_Tensor:$delta);
  let results = (outs Graph_Tensor:$result);
}

def Graph_OneHotOp : Graph_Op<"one_hot", MovementClass, [StaticOperands<["depth"]>]> {
  let summary = "Returns values[1] where the new index equals the element, else values[0]";
  let description = [{
    An element outside [-depth, depth) gives a row of values[0].
    - [one_hot.1] `axis` is the non-negative position of the new dimension in the
      result.
    - [one_hot.2] `depth` is one non-negative number; `values` has two elements.
  }];
  let arguments = (ins Graph_Tensor:$indices, Graph_Tensor:$depth, Graph_Tensor:$values,
                       I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_TriluOp : Graph_Op<"trilu", MovementClass> {
  let summary = "Keeps the upper or lower triangle of the last two dimensions and zeroes the rest";
  let description = [{
    The op keeps element (i, j) if j - i >= k (upper) or j - i <= k (lower).
    - [trilu.1] the input has rank 2 or more; `k` is one integer.
  }];
  let arguments = (ins Graph_Tensor:$input, Optional<Graph_Tensor>:$k, BoolAttr:$upper);
  let results = (outs Graph_Tensor:$result);
}

def Graph_ReverseSequenceOp : Graph_Op<"reverse_sequence", MovementClass> {
  let summary = "Reverses the first sequenceLens[b] elements along the time axis of each batch";
  let description = [{
    - [reverse_sequence.1] the two axes are distinct and in [0, rank).
    - [reverse_sequence.2] there is one length per batch entry, at most the size of
      the time axis.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$sequenceLens, I64Attr:$batchAxis,
                       I64Attr:$timeAxis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_CompressOp : Graph_Op<"compress", NoneClass> {
  let summary = "Selects the slices where `condition` is true; the result's size depends on data";
  let description = [{
    Without `axis`, the op flattens the input to a vector. If the condition is
    shorter than the dimension, the op drops the remaining slices.
    - [compress.1] `axis` is in [0, rank).
    - [compress.2] `condition` is a vector of `i1` and selects no slice beyond the
      dimension.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$condition, OptionalAttr<I64Attr>:$axis);
  let results = (outs Graph_Tensor:$result);
}

def Graph_NonZeroOp : Graph_Op<"non_zero", NoneClass> {
  let summary = "Returns the indices of non-zero elements, one column each";
  let description = [{ - [non_zero.1] the input has a numeric type or `i1`. }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
}

def Graph_UniqueOp : Graph_Op<"unique", NoneClass> {
  let summary = "Returns distinct elements or slices with their first index, inverse and counts";
  let description = [{
    The op compares slices element by element; NaN sorts last and equals itself. If
    `sorted` is not set, the result is in the order of first occurrence.
    - [unique.1] `axis` is in [0, rank); without `axis`, the op flattens the input
      to a vector.
    - [unique.2] the input has a numeric type, `i1` or strings.
  }];
  let arguments = (ins Graph_Tensor:$input, OptionalAttr<I64Attr>:$axis, BoolAttr:$sorted);
  let results = (outs Graph_Tensor:$result, Graph_Tensor:$indices, Graph_Tensor:$inverse,
                      Graph_Tensor:$counts);
}

def Graph_TopKOp : Graph_Op<"top_k", WholeClass, [StaticOperands<["k"]>]> {
  let summary = "Returns the k largest or smallest elements along `axis` and their indices";
  let description = [{
    For equal elements, the lower index comes first. The result is always sorted,
    regardless of `sorted`. NaN is larger than every number.
    - [top_k.1] `axis` is in [0, rank).
    - [top_k.2] `k` is one integer from 0 to the size of the dimension `axis`.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$k, I64Attr:$axis, BoolAttr:$largest,
                       BoolAttr:$sorted);
  let results = (outs Graph_Tensor:$values, Graph_Tensor:$indices);
}

def Graph_Col2ImOp : Graph_Op<"col2im", HeavyClass,
    [StaticOperands<["imageShape", "blockShape"]>]> {
  let summary = "Sums column blocks into an image";
  let description = [{
    - [col2im.1] the input is N x (C * prod(blockShape)) x L, where L is the number
      of block positions.
    - [col2im.2] there is one block size, dilation and stride per image dimension,
      all at least 1; `pads` holds the begins, then the ends, all non-negative.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$imageShape, Graph_Tensor:$blockShape,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$strides);
  let results = (outs Graph_Tensor:$result);
}

def Graph_BitcastOp : Graph_Op<"bitcast", ElementwiseClass, [CollapsesDimensions]> {
  let summary = "Reinterprets the bits as another element type of the same width";
  let description = [{ - [bitcast.1] both types are numeric and have the same bit width. }];
  let arguments = (ins Graph_Tensor:$input, TypeAttr:$to);
  let results = (outs Graph_Tensor:$result);
}

#endif
