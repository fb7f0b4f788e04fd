// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the graph stage.

#ifndef CONVOY_SIMPLIFY_PASSES_TD
#define CONVOY_SIMPLIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

def InferTypesPass : Pass<"convoy-graph-infer-types", "mlir::func::FuncOp"> {
  let summary = "Infers every result type from operand types and constants";
  let description = [{
    Takes: any function of graph ops. Gives: the same ops with the result types of
    their type rules. If a shape depends on shape arithmetic, the pass evaluates the
    arithmetic. Import infers types while it builds ops; this pass is for graphs
    that other passes changed. Does not do: remove ops.

    %y = graph.reshape %x, %s : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<?xf32>   // before
    %y = graph.reshape %x, %s : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<16xf32>  // after
  }];
}

def FoldConstantsPass : Pass<"convoy-graph-fold-constants", "mlir::func::FuncOp"> {
  let summary = "Folds every op whose operands are all constants";
  let description = [{
    Takes: any function of graph ops. Gives: the same function in which constants
    replace ops on constants. The reference interpreter evaluates the ops. The taken
    branch replaces a graph.if with a known condition, and constants replace the
    shapes of static tensors. The pass also infers types. Does not do: fold results
    that are much larger than their operands, for example an expanded scalar, or more
    results than `max-total-bytes` and eight times the constants, which only a chain
    of growing ops has.

    %c = graph.binary add %a, %b   // %a, %b constants                    // before
    %c = graph.constant dense<...>                                        // after
  }];
  let options = [Option<"maxGrowthBytes", "max-growth-bytes", "int64_t", "1048576",
                        "Fold results up to four times the operands plus this many bytes">,
                 Option<"maxTotalBytes", "max-total-bytes", "int64_t", "1073741824",
                        "Fold all results up to eight times the constants plus this many bytes">,
                 Option<"keepsQuantized", "keeps-quantized", "bool", "false",
                        "Keep dequantize_linear of constants for the quantize stage">,
                 Option<"keepsPacked", "keeps-packed", "bool", "false",
                        "Keep matrices of products that are packed with a scale per block for the "
                        "fusion stage">];
  let statistics = [Statistic<"foldedOps", "folded-ops", "Ops evaluated at compile time">];
}

def FoldPackedTransposesPass : Pass<"convoy-graph-fold-packed-transposes", "mlir::func::FuncOp"> {
  let summary = "Folds the transpose of a packed matrix into its integers, scales and zero points";
  let description = [{
    Takes: a dequantize_linear of constant matrices with blocks along the second dimension, of which
    all readers are transposes in front of products. Gives: a dequantize_linear of transposed
    constants with blocks along the first dimension. Constant folding evaluates the transposes of
    the constants, and a kernel template reads the matrix packed. Does not do: change other
    transposes.

    %d = graph.dequantize_linear %w, %s {axis = 1, blockSize = 32}                        // before
       : (tensor<64x128xi4>, tensor<64x4xf32>) -> tensor<64x128xf32>
    %t = graph.transpose %d {perm = [1, 0]}
    %y = graph.matmul %x, %t : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>

    %0 = graph.transpose %w {perm = [1, 0]}                                                // after
    %1 = graph.transpose %s {perm = [1, 0]}
    %d = graph.dequantize_linear %0, %1 {axis = 0, blockSize = 32}
       : (tensor<128x64xi4>, tensor<4x64xf32>) -> tensor<128x64xf32>
    %y = graph.matmul %x, %d : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
  }];
  let statistics = [Statistic<"foldedTransposes", "folded-transposes",
                              "Packed matrices whose transpose was folded">];
}

def LowerEinsumsPass : Pass<"convoy-graph-lower-einsums", "mlir::func::FuncOp"> {
  let summary = "Lowers Einstein summations to transposes, products and sums";
  let description = [{
    Takes: einsums of floating-point tensors of static shape. Gives: transposes, reshapes,
    products of matrices, multiplications and sums. Several operands are multiplied from left to
    right. A pair of operands with a common label that no later operand and no result has is a
    product of matrices; another pair is a multiplication, with a sum if both operands have only
    common labels. A constant operand becomes the right matrix. Fusion then recognizes attention
    that a model writes with einsums, and products get the templates of products.

    Does not do: lower einsums with a label that occurs twice in one operand, einsums of
    several operands that sum over a label of one operand, einsums of integers, einsums
    without elements, einsums of 16-bit floats that need more than one rounding, and einsums
    with a partial product that is larger than each operand and the result. The loops of
    einsum compute these.

    %y = graph.einsum(%x, %w) {equation = "bnd,dhk->bhnk"}                                // before
       : (tensor<2x5x8xf32>, tensor<8x2x4xf32>) -> tensor<2x2x5x4xf32>

    %0 = graph.reshape %w, [8, 8] : tensor<8x8xf32>                                       // after
    %1 = graph.matmul %x, %0 : (tensor<2x5x8xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
    %2 = graph.reshape %1, [2, 5, 2, 4] : tensor<2x5x2x4xf32>
    %y = graph.transpose %2 {perm = [0, 2, 1, 3]} : tensor<2x2x5x4xf32>
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
  let statistics = [Statistic<"loweredEinsums", "lowered-einsums", "Einsums that were lowered">];
}

def LowerStringsPass : Pass<"convoy-graph-lower-strings", "mlir::func::FuncOp"> {
  let summary = "Replaces strings of constants by their indices in a table";
  let description = [{
    Takes: a function in which every string is that of a constant, and in which only constants,
    label_encode, select and movement ops have strings as operands or results. Gives: the same ops on
    i64, the index of each string in a table of all strings. The attribute `graph.labels` of a
    result that was strings has this table. Does not do: lower strings of inputs, and strings in
    regions; only the reference runs these.

    %k = graph.constant dense<[0, 1]> : tensor<2xi64>                                      // before
    %v = graph.constant dense<["cat", "dog"]> : tensor<2x!graph.string>
    %d = graph.constant dense<""> : tensor<1x!graph.string>
    %y = graph.label_encode %x, %k, %v, %d : (...) -> tensor<9x!graph.string>

    %k = graph.constant dense<[0, 1]> : tensor<2xi64>                                       // after
    %v = graph.constant dense<[0, 1]> : tensor<2xi64>
    %d = graph.constant dense<2> : tensor<1xi64>
    %y = graph.label_encode %x, %k, %v, %d : (...) -> tensor<9xi64>
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
  let statistics = [Statistic<"loweredFunctions", "lowered-functions",
                              "Functions whose strings were lowered">];
}

def LowerFourierPass : Pass<"convoy-graph-lower-fourier", "mlir::func::FuncOp"> {
  let summary = "Lowers Fourier transforms of constant length to products with constant matrices";
  let description = [{
    Takes: dft ops of static shape with constant length and axis. Gives: products with constant
    matrices, multiplications by constants and transposes. A short transform is one product. A
    long one of length n = r * m is transforms of length r, a multiplication by the n-th roots
    of unity, and transforms of length m, which may have factors again. The pass chooses the
    factors by their estimated time; bins that a one-sided result does not have are not
    computed as far as the last factor allows. The pass computes the matrices in double, and
    16-bit floats in f32. The transforms of STFT, which Import writes as dft, are lowered too.

    If the length has a large prime factor, the pass uses Bluestein's method: the signal times a
    chirp, padded with zeros to a length with small factors, is transformed, multiplied by the
    spectrum of the chirp, and transformed back.

    Does not do: lower transforms that need a constant of more than 2^23 elements. The loops of
    dft compute these.

    %y = graph.dft %x {inverse = false, onesided = true}                                  // before
       : (tensor<3x512x1xf32>) -> tensor<3x257x2xf32>

    %0 = graph.reshape %x, [3, 16, 32] : tensor<3x16x32xf32>                              // after
    %1 = graph.matmul %f, %0 : (tensor<32x16xf32>, tensor<3x16x32xf32>) -> tensor<3x32x32xf32>
    %2 = graph.reshape %1, [3, 16, 2, 32] : tensor<3x16x2x32xf32>
    %3 = graph.slice %2, [1], [-2^63], [2], [-1] : tensor<3x16x2x32xf32>
    %4 = graph.binary mul %2, %cosines : tensor<3x16x2x32xf32>
    %5 = graph.binary mul %3, %sines : tensor<3x16x2x32xf32>
    %6 = graph.binary add %4, %5 : tensor<3x16x2x32xf32>
    %7 = graph.reshape %6, [48, 64] : tensor<48x64xf32>
    %8 = graph.matmul %7, %g : (tensor<48x64xf32>, tensor<64x34xf32>) -> tensor<48x34xf32>
    %9 = graph.reshape %8, [3, 16, 17, 2] : tensor<3x16x17x2xf32>
    %10 = graph.transpose %9 {perm = [0, 2, 1, 3]} : tensor<3x17x16x2xf32>
    %11 = graph.reshape %10, [3, 272, 2] : tensor<3x272x2xf32>
    %y = graph.slice %11, [0], [257], [1] : tensor<3x257x2xf32>
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
  let statistics = [Statistic<"loweredTransforms", "lowered-transforms",
                              "Transforms that were lowered">];
}

def CancelTransposesPass : Pass<"convoy-graph-cancel-transposes", "mlir::func::FuncOp"> {
  let summary = "Cancels transposes across ops that do not depend on the order of dimensions";
  let description = [{
    Takes: any function of graph ops. Gives: the same function with transposes moved
    down past element-wise ops, concat, reduce and pad. Adjacent transposes are
    merged or canceled. A transpose that only moves dimensions of size 1 becomes a
    reshape. Constant folding transposes the constant operands of element-wise ops.
    The pass leaves a function unchanged if the rewritten transposes do not move
    fewer elements in total. Does not do: move transposes up, or past ops with other
    kinds of axes.

    %0 = graph.conv %x, %w ...                                            // before
    %1 = graph.transpose %0 {perm = [0, 2, 3, 1]}
    %2 = graph.unary relu %1
    %3 = graph.transpose %2 {perm = [0, 3, 1, 2]}
    %4 = graph.conv %3, %v ...

    %0 = graph.conv %x, %w ...                                            // after
    %2 = graph.unary relu %0
    %4 = graph.conv %2, %v ...
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
  let statistics = [Statistic<"canceledElements", "canceled-elements",
                              "Elements that transposes no longer move">];
}

def FoldBatchNormPass : Pass<"convoy-graph-fold-batch-norm", "mlir::func::FuncOp"> {
  let summary = "Folds each batch_norm into a preceding convolution with constant weights";
  let description = [{
    Takes: graph.conv or graph.conv_transpose with constant weight and bias whose only
    reader is a graph.batch_norm with constant parameters. Gives: a convolution with
    weights w * f and bias (b - mean) * f + bias, where f = scale / sqrt(variance +
    epsilon) is computed in f64 and rounded once. If the weights of a graph.conv are
    the result of a dequantize_linear and no factor is negative, the pass multiplies
    the scales instead. Does not do: change any other batch norm.

    %0 = graph.conv %x, %w {...}                                          // before
    %1 = graph.batch_norm %0, %scale, %bias, %mean, %variance {...}

    %1 = graph.conv %x, %w2, %b2 {...}                                    // after
  }];
  let statistics = [Statistic<"foldedNorms", "folded-norms", "Batch norms folded">];
}

def LowerCompositesPass : Pass<"convoy-graph-lower-composites", "mlir::func::FuncOp"> {
  let summary = "Lowers composite ops to primitive graph ops";
  let description = [{
    Takes: any function of graph ops. Gives: the same function in which
    - softmax and batch_norm are element-wise ops and reductions;
    - one_hot and trilu are range, comparison and select;
    - reverse_sequence, and compress with a constant condition, are gathers;
    - split is slices;
    - resize is a gather, a product and a sum per axis;
    - tree_ensemble is gathers from tables, which compare ranks of the features if all
      nodes compare order or equality;
    - label_encode from numbers to numbers is comparisons, or a binary search;
    - tf_idf is comparisons and sums;
    - random of at most 2^24 numbers is a constant, or comparisons with constants if it draws
      from probabilities;
    - rnn, gru and lstm are graph.scan, with the product of input and weights before
      the scan.

    The pass computes 16-bit floats in f32 and rounds where the composite op rounds.
    Every new op has the location of the op it comes from. Does not do: lower
    composites of dynamic shape, resize with scales that are known only at run time,
    and trees of more than 64 levels; only the reference interpreter runs these ops.
    Does not fold constants.

    %y = graph.softmax %x {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>   // before

    %m = graph.reduce max %x over %axes {keepDims = true} ...                       // after
    %s = graph.binary sub %x, %m ...
    %e = graph.unary exp %s ...
    %d = graph.reduce sum %e over %axes {keepDims = true} ...
    %y = graph.binary div %e, %d ...
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
}

def LowerTransposedConvsPass : Pass<"convoy-graph-lower-transposed-convs", "mlir::func::FuncOp"> {
  let summary = "Lowers transposed convolutions to convolutions";
  let description = [{
    Takes: graph.conv_transpose of static shape, with any number of spatial dimensions,
    strides, pads, output padding, dilations and groups. The weights may be a constant, a
    dequantize_linear of a constant, or computed. Gives: convolutions with stride 1 and
    reversed taps, one phase for each remainder of the result's position modulo the
    stride, and a reshape, a transpose and a reshape that interleave the phases. Phases
    with the same number of taps that begin at the same input are output channels of one
    convolution. A phase without taps (kernel smaller than the stride, or stride and
    dilation with a common divisor) is the bias, or zero. The taps of computed weights
    are slices of the weights, one per phase. The pass chooses where the phases
    begin by the number of multiplications: at a multiple of the stride, which joins
    more phases and computes results in the padding that a slice removes, or at the
    padding. It moves the element-wise ops after the op before the interleave if their
    other operands are scalars or have one element per channel, so that Fusion puts them
    into the kernels of the convolutions. With stride 1 the result is one convolution.
    The pass inserts no zeros. The order of a sum may change; every product occurs once.

    Does not do: change ops with dynamic shapes, with a stride above 4096, with more than
    64 convolutions, with computed weights in more than 64 phases, or whose phases along an
    axis have more than four times the results of the op.

    %y = graph.conv_transpose %x, %w {strides = [2], pads = [0, 0], ...}                   // before
        : (tensor<1x8x5xf32>, tensor<8x16x2xf32>) -> tensor<1x16x10xf32>

    %0 = graph.conv %x, %v {strides = [1], pads = [0, 0], ...}                             // after
        : (tensor<1x8x5xf32>, tensor<32x8x1xf32>) -> tensor<1x32x5xf32>
    %1 = graph.reshape %0, [1, 1, 2, 16, 5] : tensor<1x1x2x16x5xf32>
    %2 = graph.transpose %1 {perm = [0, 1, 3, 4, 2]} : tensor<1x1x16x5x2xf32>
    %y = graph.reshape %2, [1, 16, 10] : tensor<1x16x10xf32>
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
  let statistics = [Statistic<"loweredConvs", "lowered-convs",
                              "Transposed convolutions that were lowered">];
}

def LowerVolumeConvsPass : Pass<"convoy-graph-lower-volume-convs", "mlir::func::FuncOp"> {
  let summary = "Lowers convolutions over three dimensions to convolutions over rows and columns";
  let description = [{
    Takes: graph.conv with constant weights and three spatial dimensions, of static shape. Gives:
    the same computation on images, one for each depth and volume, with the depths outermost. A
    convolution gets the images of all depth taps as input channels of each group. A depthwise
    convolution becomes one convolution per depth tap and a sum, or products and a sum if its kernel
    has only depth. Pads and slices select the images of a tap. The pass also computes element-wise
    ops, pools and reductions over all spatial dimensions on images, if one of their operands has
    images; constants must be scalars or have one element per channel. A pool becomes a pool over
    rows and columns, and the largest image or the mean of the depth taps. Values that other ops
    read get a reshape and a transpose. The order of a sum may change.

    Does not do: change computed and quantized weights, max pools whose indices are read, and pools
    with more than eight depth taps.

    %y = graph.conv %x, %w                                                                 // before
        : (tensor<1x8x5x9x9xf32>, tensor<16x8x1x1x1xf32>) -> tensor<1x16x5x9x9xf32>

    %0 = graph.transpose %x {perm = [2, 0, 1, 3, 4]} : tensor<5x1x8x9x9xf32>               // after
    %1 = graph.reshape %0, [5, 8, 9, 9] : tensor<5x8x9x9xf32>
    %2 = graph.conv %1, %v : (tensor<5x8x9x9xf32>, tensor<16x8x1x1xf32>) -> tensor<5x16x9x9xf32>
    %3 = graph.reshape %2, [5, 1, 16, 9, 9] : tensor<5x1x16x9x9xf32>
    %y = graph.transpose %3 {perm = [1, 2, 0, 3, 4]} : tensor<1x16x5x9x9xf32>
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
  let statistics = [Statistic<"loweredConvs", "lowered-convs", "Convolutions that were lowered">];
}

def SplitProductsPass : Pass<"convoy-graph-split-products", "mlir::func::FuncOp"> {
  let summary = "Splits products whose columns are read only in parts";
  let description = [{
    Takes: products with a constant matrix, with or without the addition of a constant vector,
    whose readers are slices of consecutive columns, or gathers of one index after a reshape that
    divides the columns, with or without a transpose in between. Gives: one product per reader, with
    slices of the matrix and of the vector. The parts then need no copy, and attention and epilogues
    read the products directly. Exporters write query, key and value of attention as one product,
    and the halves of a gated layer too. Every element keeps its value.

    Does not do: split products in the body of a loop, products of quantized matrices, products with
    overlapping parts, and products with parts that do not begin and end at multiples of 16 columns.
    Does not fold the slices.

    %0 = graph.matmul %x, %w : (tensor<5x8xf32>, tensor<8x64xf32>) -> tensor<5x64xf32>     // before
    %1 = graph.reshape %0, [5, 2, 32] : tensor<5x2x32xf32>
    %a = graph.gather %1, 0 {axis = 1 : i64} : tensor<5x32xf32>
    %b = graph.gather %1, 1 {axis = 1 : i64} : tensor<5x32xf32>

    %2 = graph.slice %w, [0], [32], [1] : tensor<8x32xf32>                                  // after
    %3 = graph.matmul %x, %2 : (tensor<5x8xf32>, tensor<8x32xf32>) -> tensor<5x32xf32>
    %a = graph.reshape %3, [5, 32] : tensor<5x32xf32>
    %4 = graph.slice %w, [32], [64], [1] : tensor<8x32xf32>
    %5 = graph.matmul %x, %4 : (tensor<5x8xf32>, tensor<8x32xf32>) -> tensor<5x32xf32>
    %b = graph.reshape %5, [5, 32] : tensor<5x32xf32>
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
  let statistics = [Statistic<"splitProducts", "split-products", "Products that were split">];
}

def LowerBatchedProductsPass : Pass<"convoy-graph-lower-batched-products", "mlir::func::FuncOp"> {
  let summary = "Collapses the leading dimensions of products with a constant matrix";
  let description = [{
    Takes: products of a tensor of rank 3 or more with a constant matrix, or with a
    dequantize_linear of a constant matrix. Gives: a reshape that collapses the
    leading dimensions, a product of two matrices, and a reshape back.

    The pass moves the second reshape down past element-wise ops, casts,
    quantize_linear and dequantize_linear, so that Fusion still puts these ops into the
    kernel of the product. If the value has several readers, they must meet in one op
    before any other op reads one of their results, as in x * sigmoid(x). An operand of the same
    shape is reshaped too, together with the element-wise ops that only this operand
    needs. A bias becomes a vector. Consecutive reshapes become one reshape, or none. In
    front of an integer product the pass moves the reshape up past element-wise ops,
    because Quantize looks for these ops directly in front of the product. Every new
    op has the location of the op that it replaces.

    Does not do: change products with dynamic dimensions, products without elements,
    and products whose right side is computed or has another rank; move the reshape
    past an op with an operand that broadcasts along only some of the leading
    dimensions, or past a quantize_linear with scales along a leading dimension.

    %0 = graph.matmul %x, %w : (tensor<2x5x4xf32>, tensor<4x8xf32>) -> tensor<2x5x8xf32>   // before
    %1 = graph.binary add %0, %bias : (tensor<2x5x8xf32>, tensor<8xf32>) -> tensor<2x5x8xf32>
    %y = graph.binary add %1, %z : (tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x8xf32>

    %2 = graph.reshape %x, [10, 4] : tensor<10x4xf32>                                      // after
    %0 = graph.matmul %2, %w : (tensor<10x4xf32>, tensor<4x8xf32>) -> tensor<10x8xf32>
    %1 = graph.binary add %0, %bias : (tensor<10x8xf32>, tensor<8xf32>) -> tensor<10x8xf32>
    %3 = graph.reshape %z, [10, 8] : tensor<10x8xf32>
    %4 = graph.binary add %1, %3 : (tensor<10x8xf32>, tensor<10x8xf32>) -> tensor<10x8xf32>
    %y = graph.reshape %4, [2, 5, 8] : tensor<2x5x8xf32>
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
  let statistics = [Statistic<"loweredProducts", "lowered-products",
                              "Products whose leading dimensions were collapsed">];
}

def InsertExtentsPass : Pass<"convoy-graph-insert-extents", "mlir::func::FuncOp"> {
  let summary = "Inserts the sizes that depend on data as the last result of the function";
  let description = [{
    Takes: compress, non_max_suppression, non_zero and unique with operands of static
    shape, if only the function's return reads the results whose size depends on
    data. Gives: the bounded form of each op. The type of the
    function's result has the maximum shape, and the attribute `graph.dims` of the
    result maps each dimension to its extent, or to -1 if the dimension is fixed. The
    pass replaces scores that are not above the score threshold of a
    non_max_suppression by minus infinity before it sorts them. The
    function returns the extents of all results as one more result, a vector of i64
    with the attribute `graph.extents`. Does not do: change an op if another op reads
    its result; convoy-place-check-cpu reports these ops for the CPU.

    func.func @main(%x: tensor<3x4xf32>)                                  // before
        -> (tensor<2x?xi64> {graph.name = "y"}) {
      %y = graph.non_zero %x : (tensor<3x4xf32>) -> tensor<2x?xi64>
      return %y : tensor<2x?xi64>
    }

    func.func @main(%x: tensor<3x4xf32>)                                  // after
        -> (tensor<2x12xi64> {graph.name = "y", graph.dims = array<i32: -1, 0>},
            tensor<1xi64> {graph.name = "extents", graph.extents}) {
      %y, %n = graph.bounded_non_zero %x
             : (tensor<3x4xf32>) -> (tensor<2x12xi64>, tensor<1xi64>)
      return %y, %n : tensor<2x12xi64>, tensor<1xi64>
    }
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
  let statistics = [Statistic<"boundedOps", "bounded-ops", "Ops in memory of a maximum size">];
}

def CheckGraphContractPass : Pass<"convoy-graph-check-contract", "mlir::func::FuncOp"> {
  let summary = "Checks that every result type is at least as precise as its type rule";
  let description = [{
    Takes: a function after the graph stage. Gives: the same function, or an error
    at each op whose result type is less precise than its type rule. Place and
    Fusion take shapes from types and require this. Does not do: change the
    function.

    %y = graph.unary abs %x : (tensor<4xf32>) -> tensor<?xf32>      // error
    %y = graph.unary abs %x : (tensor<4xf32>) -> tensor<4xf32>      // passes
  }];
}

#endif // CONVOY_SIMPLIFY_PASSES_TD
