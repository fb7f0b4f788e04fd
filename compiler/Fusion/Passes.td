// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares and documents the passes of the fusion stage.

#ifndef CONVOY_FUSION_PASSES_TD
#define CONVOY_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseGroupsPass : Pass<"convoy-fusion-fuse-groups", "mlir::func::FuncOp"> {
  let summary = "Join groups of a convolution if the joined groups have a faster template";
  let description = [{
    Takes: primitive graph ops; the module has its machine. Gives: convolutions of f32
    with constant weights in which several groups are one, if a template supports the
    joined groups and its estimated time is clearly lower, for example because Winograd's
    algorithm supports one group only. The weights of the joined groups are zero between
    the groups, so each result has the same terms and zeros. Does not do: change
    convolutions with one input channel per group, such as depthwise convolutions; change
    anything in strict math, because an infinite input times zero is NaN.

    %y = graph.conv %x, %w {groups = 32, ...}                     // before
        : (tensor<1x128x56x56xf32>, tensor<128x4x3x3xf32>)
    %y = graph.conv %x, %v {groups = 8, ...}                      // after
        : (tensor<1x128x56x56xf32>, tensor<128x16x3x3xf32>)
  }];
  // Templates create their configuration to decide whether they support a kernel.
  let dependentDialects = ["convoy::kernels::KernelDialect"];
  let options = [Option<"isStrictMath", "strict-math", "bool", "false",
                        "Use only algorithms that round like a plain sum">];
  let statistics = [Statistic<"joinedConvolutions", "joined-convolutions",
                              "Number of convolutions with joined groups">];
}

def LowerNarrowFloatsPass : Pass<"convoy-fusion-lower-narrow-floats", "mlir::func::FuncOp"> {
  let summary = "Compute in f32 between casts what the model computes in f16 or bf16";
  let description = [{
    Takes: primitive graph ops. Gives: arithmetic ops on f32 in place of arithmetic ops on
    f16 or bf16. Values between these ops stay in f32, also through ops that only move
    elements. Constants become f32. If a template supports a convolution or product with
    constant weights in their type, the weights keep their type and have a cast. Weights
    of f16 become f32 if the target has no instruction for the conversion.
    Does not do: change the types of inputs, outputs and other values between kernels that
    integers or booleans depend on: comparisons, arg_reduce, casts to integers and ops
    whose results jump (floor, ceil, round, sign, mod) read rounded values. The bodies of
    scans stay as they are.

    %0 = graph.conv %x, %w : (f16, f16) -> f16                    // before
    %1 = graph.unary relu %0 : f16

    %2 = graph.cast %x : f16 to f32                               // after
    %3 = graph.cast %w : f16 to f32
    %4 = graph.conv %2, %3 : (f32, f32) -> f32
    %5 = graph.unary relu %4 : f32
    %1 = graph.cast %5 : f32 to f16
  }];
  // Templates create their configuration to decide whether they support a kernel.
  let dependentDialects = ["convoy::kernels::KernelDialect"];
  let options = [Option<"convertsHalves", "converts-halves", "bool", "true",
                        "The target converts vectors of f16 to f32 with few instructions; otherwise "
                        "weights of f16 become f32">];
  let statistics = [Statistic<"widenedOps", "widened-ops", "Number of ops that compute in f32 instead of a narrower type">];
}

def FoldPackedPass : Pass<"convoy-fusion-fold-packed", "mlir::func::FuncOp"> {
  let summary = "Dequantize packed matrices that no template reads, at compile time";
  let description = [{
    Takes: primitive graph ops; the module has its machine. Gives: f32 constants for the
    constant matrices of products that have a scale per block, if no template supports the
    product with the packed matrix. A matrix that a template reads keeps its
    dequantize_linear, one per product.

    %0 = graph.dequantize_linear %w, %s {axis = 0, blockSize = 32}    // before
    %1 = graph.matmul %x, %0
    %2 = graph.matmul %y, %0

    %0 = graph.dequantize_linear %w, %s {axis = 0, blockSize = 32}    // after
    %1 = graph.matmul %x, %0
    %3 = graph.dequantize_linear %w, %s {axis = 0, blockSize = 32}
    %2 = graph.matmul %y, %3
  }];
  // Templates create their configuration to decide whether they support a kernel.
  let dependentDialects = ["convoy::kernels::KernelDialect"];
  let statistics = [Statistic<"foldedMatrices", "folded-matrices",
                              "Number of packed matrices that became f32">];
}

def FuseScansPass : Pass<"convoy-fusion-fuse-scans", "mlir::func::FuncOp"> {
  let summary = "Put each recurrent scan into one graph.kernel";
  let description = [{
    Takes: primitive graph ops. Gives: a `graph.kernel` for each `graph.scan` that
    the template `recurrent` supports: products of rows of the state with constant
    matrices, and element-wise ops. The operands of the kernel are the operands of
    the scan and the values that its body reads. Does not do: change scans that the
    template does not support; each step of them runs the kernels of their body.

    %h, %y = graph.scan %h0, %x {                                 // before
    ^bb0(%h1: ..., %x1: ...):
      %0 = graph.matmul %h1, %r
      %1 = graph.binary add %0, %x1
      %2 = graph.unary tanh %1
      graph.yield %2, %2
    }

    %h, %y = graph.kernel %h0, %x, %r {                           // after
    ^bb0(%a: ..., %b: ..., %c: ...):
      %0:2 = graph.scan %a, %b {
      ^bb0(%h1: ..., %x1: ...):
        %1 = graph.matmul %h1, %c
        ...
      }
      graph.yield %0#0, %0#1
    }
  }];
  let dependentDialects = ["convoy::kernels::KernelDialect"];
  let statistics = [Statistic<"fusedScans", "fused-scans", "Number of scans that became one kernel">];
}

def FuseAttentionPass : Pass<"convoy-fusion-fuse-attention", "mlir::func::FuncOp"> {
  let summary = "Group two products with a softmax between them into one graph.kernel";
  let description = [{
    Takes: primitive graph ops; the module has its machine. Gives: one `graph.kernel`
    for each attention that the template `attention` supports: the product of queries
    and keys, element-wise ops on the scores (scales, a cap, masks), the softmax, the
    product with the values, and the transposes, reshapes and scales around them.
    The pass transposes a mask with an element for each query and key outside the
    kernel, and back inside it, because the lanes of the template are queries.
    The values between these ops have no reader outside. If a softmax is between two
    products but the template does not support the ops, the pass stores the reason in
    `kernel.why_not_attention` of the second product, and the ops stay as they are.
    Does not do: group other ops; `convoy-fusion-fuse-kernels` does.

    %s = graph.matmul %q, %k                                      // before
    %m = graph.reduce max %s over %axes
    %d = graph.binary sub %s, %m
    %e = graph.unary exp %d
    %t = graph.reduce sum %e over %axes
    %p = graph.binary div %e, %t
    %y = graph.matmul %p, %v

    %y = graph.kernel %q, %k, %v {                                // after
    ^bb0(%a: ..., %b: ..., %c: ...):
      ...
      graph.yield %0
    }
  }];
  let dependentDialects = ["::convoy::kernels::KernelDialect"];
  let options = [Option<"isStrictMath", "strict-math", "bool", "false",
                        "Use only algorithms that round like a plain sum">];
  let statistics = [Statistic<"fusedAttentions", "fused-attentions",
                              "Number of attentions that became one kernel">];
}

def FuseRowsPass : Pass<"convoy-fusion-fuse-rows", "mlir::func::FuncOp"> {
  let summary = "Group reductions over the same last dimensions with the element-wise ops around them";
  let description = [{
    Takes: primitive graph ops. Gives: one `graph.kernel` for each softmax, layer norm,
    RMS norm and instance norm, and for each similar group: reductions over the same
    last dimensions, and element-wise ops on values with the shape of the reduced
    tensor or with one element per row. Values may have several readers. The pass forms
    a kernel only if the template `rows` supports it. Element-wise ops that
    `convoy-fusion-fuse-kernels` can fuse with a convolution, a product or a data
    movement stay outside. Does not do: fuse a single reduction with its operand.

    %0 = graph.reduce max %x over %axes {keepDims = true, ...}    // before
    %1 = graph.binary sub %x, %0
    %2 = graph.unary exp %1
    %3 = graph.reduce sum %2 over %axes {keepDims = true, ...}
    %4 = graph.binary div %2, %3

    %4 = graph.kernel %x { ... }                                  // after
  }];
  let dependentDialects = ["::convoy::kernels::KernelDialect"];
  let options = [Option<"maxOps", "max-ops", "int64_t", "48",
                        "Maximum number of ops in one kernel; limits the size of its code">,
                 Option<"isStrictMath", "strict-math", "bool", "false",
                        "Use only algorithms that round like a plain sum">];
  let statistics = [
    Statistic<"fusedOps", "fused-ops", "Number of ops in the kernels that the pass formed">,
    Statistic<"rowKernels", "row-kernels", "Number of kernels that the pass formed">];
}

def FuseInterleavesPass : Pass<"convoy-fusion-fuse-interleaves", "mlir::func::FuncOp"> {
  let summary = "Group a transpose with the reshapes and slices around it if blocks of channels stay whole";
  let description = [{
    Takes: primitive graph ops; the module has its machine. Gives: one `graph.kernel` for each
    chain of reshapes, slices and one transpose in which every block of channels of the result is a
    block of channels of the operand, for the block of the machine. The interleave of a transposed
    convolution, depth_to_space and space_to_depth with whole blocks are such chains. The generic
    loops compute the kernel with lanes along channels, so its neighbors need no reorder. Does not
    do: group other transposes; their reshapes stay outside, because they are views.

    %0 = graph.reshape %x, [1, 2, 32, 8] : tensor<1x2x32x8xf32>           // before
    %1 = graph.transpose %0 {perm = [0, 2, 3, 1]} : tensor<1x32x8x2xf32>
    %y = graph.reshape %1, [1, 32, 16] : tensor<1x32x16xf32>

    %y = graph.kernel %x { ... }                                          // after
  }];
  let statistics = [Statistic<"interleaves", "interleaves",
                              "Number of chains that became one kernel">];
}

def FuseKernelsPass : Pass<"convoy-fusion-fuse-kernels", "mlir::func::FuncOp"> {
  let summary = "Group each computation and its element-wise neighbors into one graph.kernel";
  let description = [{
    Takes: primitive graph ops. Gives: `graph.kernel` regions, each with at most
    one op that loops (convolution, product, window, reduction), the element-wise
    ops that consume its result, and the element-wise ops that produce the operand
    of a reduction or of a data movement, or the indices of a gather of single
    elements. A value with more than one reader ends a
    kernel, unless all its readers are element-wise ops of one kernel. If the template
    `product` supports the kernel, a kernel with a product of two computed matrices
    also contains the transposes of its operands and of its result. If the template
    `conv_bytes` supports the kernel, a kernel with an integer convolution also contains
    the max pool after it, which the template computes before it rescales. If a
    template supports a layer only without an op that could join it, and the estimated
    time of two kernels is lower, the op does not join. A kernel with a convolution or
    product also contains the cast of its constant weights if a template supports the
    kernel, or the dequantize_linear of a constant matrix with a scale per block.
    The pass copies scalars, shapes and axes into the kernel. Reshapes stay outside,
    because they are views. Does not do: choose loop orders or layouts.

    %0 = graph.conv %x, %w {...}                                  // before
    %1 = graph.unary relu %0

    %1 = graph.kernel %x, %w {                                    // after
    ^bb0(%a: ..., %b: ...):
      %2 = graph.conv %a, %b {...}
      %3 = graph.unary relu %2
      graph.yield %3
    }
  }];
  // Templates create their configuration to decide whether they support a kernel.
  let dependentDialects = ["convoy::kernels::KernelDialect"];
  let options = [Option<"maxOps", "max-ops", "int64_t", "24",
                        "Maximum number of ops in one kernel; limits the size of its code">];
  let statistics = [Statistic<"fusedOps", "fused-ops", "Number of ops that were fused into the kernel of another op">];
}

def CheckFusionContractPass : Pass<"convoy-fusion-check-contract", "mlir::func::FuncOp"> {
  let summary = "Check that every computation is inside a graph.kernel";
  let description = [{
    Takes: a function after fusion. Gives: the same function, or an error at each
    op that computes outside a kernel. Constants, reshapes and control flow may be
    outside. Does not do: change the function.

    %y = graph.unary abs %x                                         // error
    %y = graph.kernel %x { ... graph.unary abs ... }                // accepted
  }];
}

#endif // CONVOY_FUSION_PASSES_TD
