// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the graph stage.

#ifndef CONVOY_SIMPLIFY_PASSES_TD
#define CONVOY_SIMPLIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

def InferTypesPass : Pass<"convoy-graph-infer-types", "mlir::func::FuncOp"> {
  let summary = "Every result type says all that operand types and constants imply";
  let description = [{
    Takes: any function of graph ops. Gives: the same ops with result types as
    the type rules give them, evaluating shape arithmetic where a shape depends on
    it. Import does the same as it builds; this is for graphs that passes changed.
    Removes no op.

    %y = graph.reshape %x, %s : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<?xf32>   // before
    %y = graph.reshape %x, %s : (tensor<2x8xf32>, tensor<1xi64>) -> tensor<16xf32>  // after
  }];
}

def FoldConstantsPass : Pass<"convoy-graph-fold-constants", "mlir::func::FuncOp"> {
  let summary = "No op is left whose operands are all constants";
  let description = [{
    Takes: any function of graph ops. Gives: the same function in which ops on
    constants are constants, evaluated by the reference; a branch with a known
    condition stands in place of its graph.if; shapes of static tensors are
    constants. Types are inferred again along the way. Results much larger than
    their operands (an expanded scalar) are left to run time.

    %c = graph.binary add %a, %b   // %a, %b constants                    // before
    %c = graph.constant dense<...>                                        // after
  }];
  let options = [Option<"maxGrowthBytes", "max-growth-bytes", "int64_t", "1048576",
                        "A result may be this much larger than four times its operands">,
                 Option<"keepsQuantized", "keeps-quantized", "bool", "false",
                        "Leave dequantize_linear of constants to the quantize stage">];
  let statistics = [Statistic<"foldedOps", "folded-ops", "Ops evaluated at compile time">];
}

def CancelTransposesPass : Pass<"convoy-graph-cancel-transposes", "mlir::func::FuncOp"> {
  let summary = "No transpose waits for its inverse behind ops that do not care for order";
  let description = [{
    Takes: any function of graph ops. Gives: the same function in which transposes have
    moved down past element-wise ops, concat, reduce and pad, and those that met are one,
    or none. What moves dimensions of 1 alone is a reshape. Constants of element-wise ops
    are turned instead, by constant folding. Leaves a function alone when its transposes
    would not move fewer elements in all. Does not move transposes up, nor through ops
    with axes of other kinds.

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
  let statistics = [Statistic<"cancelledElements", "cancelled-elements",
                              "Elements that no transpose moves any more">];
}

def FoldBatchNormPass : Pass<"convoy-graph-fold-batch-norm", "mlir::func::FuncOp"> {
  let summary = "No batch_norm is left behind a convolution with constant weights";
  let description = [{
    Takes: graph.conv with constant weight and bias whose only reader is a
    graph.batch_norm with constant parameters. Gives: a convolution with weights
    w * f and bias (b - mean) * f + bias, f = scale / sqrt(variance + epsilon),
    computed in double and rounded once; of weights behind a dequantize_linear the
    scales are multiplied, where no factor is negative. Other batch norms are left
    alone.

    %0 = graph.conv %x, %w {...}                                          // before
    %1 = graph.batch_norm %0, %scale, %bias, %mean, %variance {...}

    %1 = graph.conv %x, %w2, %b2 {...}                                    // after
  }];
  let statistics = [Statistic<"foldedNorms", "folded-norms", "Batch norms folded">];
}

def LowerCompositesPass : Pass<"convoy-graph-lower-composites", "mlir::func::FuncOp"> {
  let summary = "No op is left that is a formula of other graph ops";
  let description = [{
    Takes: any function of graph ops. Gives: the same function in which softmax and
    batch_norm are element-wise ops and reductions; one_hot and trilu are range,
    comparison and select; reverse_sequence and compress with a constant condition
    are gathers; split is slices; resize is a gather, a product and a sum per axis;
    tree_ensemble is gathers from tables, tf_idf comparisons and sums; rnn, gru and
    lstm are graph.scan with the product of input and weights in front of it. Halves
    are computed in f32 and rounded where the composite rounds. Every new op has the
    location of the op it comes from. Does not touch composites of open shape, resize
    by scales of run time and trees of more than 64 levels: only the reference runs
    them. Folds nothing: what follows from weights alone is for constant folding.

    %y = graph.softmax %x {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>   // before

    %m = graph.reduce max %x over %axes {keepDims = true} ...                       // after
    %s = graph.binary sub %x, %m ...
    %e = graph.unary exp %s ...
    %d = graph.reduce sum %e over %axes {keepDims = true} ...
    %y = graph.binary div %e, %d ...
  }];
  let dependentDialects = ["convoy::graph::GraphDialect"];
}

def LowerBatchedProductsPass : Pass<"convoy-graph-lower-batched-products", "mlir::func::FuncOp"> {
  let summary = "A product with a constant matrix is a product of two matrices";
  let description = [{
    Takes: products of a tensor of rank 3 or more with a constant matrix, or with a
    dequantize_linear of a constant matrix. Gives: a reshape that joins the leading
    dimensions, a product of two matrices, and a reshape back.

    The pass moves the second reshape down past element-wise ops, casts,
    quantize_linear and dequantize_linear while the value has one reader, so that
    Fusion still puts these ops into the kernel of the product. An operand of the same
    shape is reshaped too, together with the element-wise ops that only this operand
    needs. A bias becomes a vector. Consecutive reshapes become one reshape, or none. In
    front of an integer product the pass moves the reshape up past element-wise ops,
    because Quantize looks for these ops directly in front of the product. Every new
    op has the location of the op that it replaces.

    Does not touch products with open dimensions, products without elements, and
    products whose right side is computed or has another rank. Does not move the
    reshape past an op with an operand that broadcasts along some of the leading
    dimensions only, or past a quantize_linear with scales along a leading dimension.

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
                              "Products whose leading dimensions were joined">];
}

def CheckGraphContractPass : Pass<"convoy-graph-check-contract", "mlir::func::FuncOp"> {
  let summary = "Every result type says at least what its rule says";
  let description = [{
    Takes: a graph after its stage. Gives: the same, or an error at each op whose
    result type says less than its type rule. Place and Fusion take shapes from
    types and would be wrong. Changes nothing.

    %y = graph.unary abs %x : (tensor<4xf32>) -> tensor<?xf32>      // is refused
    %y = graph.unary abs %x : (tensor<4xf32>) -> tensor<4xf32>      // passes
  }];
}

#endif // CONVOY_SIMPLIFY_PASSES_TD
