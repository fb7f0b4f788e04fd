// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the kernels stage: one per template, the expansion of math ops, and the check of the
// stage's contract.

#ifndef CONVOY_KERNELS_PASSES_TD
#define CONVOY_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerConvDirectPass : Pass<"convoy-kernels-lower-conv-direct", "mlir::ModuleOp"> {
  let summary = "Lowers each conv_direct kernel to a loop nest around register tiles";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.conv_direct<...>`, whose
    weights have the layout of that configuration and whose result is blocked. Gives: functions on
    flat memory, as `convoy-kernels-lower-loops` does. Column padding is resolved at compile time,
    row padding by loop bounds; no data is copied. Does not do: choose configurations (Layout does).

    func.func private @conv_0(%x: tensor<1x64x56x56xf32, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x64x3x3xf32, #kernel.conv_weights<o = 32, i = 16, transposed = false>>)
        -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
        attributes {task.kernel, task.config = #kernel.conv_direct<...>}

    func.func private @conv_0(%x: memref<200704xf32>, %w: memref<36864xf32>,           // after
                              %y: memref<200704xf32>, %begin: index, %end: index)
        attributes {task.kernel, task.range = 8 : i64}
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32",
                        "Vector register width of the target, in bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def LowerConvPixelsPass : Pass<"convoy-kernels-lower-conv-pixels", "mlir::ModuleOp"> {
  let summary = "Lowers each conv_pixels kernel to a loop nest around vectors of pixels";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.conv_pixels<...>`, whose
    weights have blocks of one input channel and whose input and result are planar. Gives: functions
    on flat memory, as `convoy-kernels-lower-loops` does, with scratch memory if windows overlap.
    Does not do: choose configurations (Layout does).

    func.func private @conv_0(%x: tensor<1x64x56x56xf32>,                              // before
        %w: tensor<64x64x3x3xf32, #kernel.conv_weights<o = 3, i = 1, transposed = false>>)
        -> tensor<1x64x56x56xf32>
        attributes {task.kernel, task.config = #kernel.conv_pixels<...>}

    func.func private @conv_0(%x: memref<200704xf32>, %w: memref<38016xf32>,           // after
                              %y: memref<200704xf32>, %scratch: memref<98304xi8>,
                              %begin: index, %end: index)
        attributes {task.kernel, task.range = 14 : i64, task.scratch = 98304 : i64}
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32",
                        "Vector register width of the target, in bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def LowerPoolPixelsPass : Pass<"convoy-kernels-lower-pool-pixels", "mlir::ModuleOp"> {
  let summary = "Lowers each pool_pixels kernel to a loop nest around vectors of pixels";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.pool_pixels<...>` that contain
    one max pool of planar f32. Gives: functions on flat memory, as `convoy-kernels-lower-loops`
    does, with scratch memory. Does not do: choose configurations (Layout does).

    func.func private @max_pool_0(%x: tensor<1x64x112x112xf32>)                        // before
        -> tensor<1x64x56x56xf32>
        attributes {task.kernel, task.config = #kernel.pool_pixels<...>}

    func.func private @max_pool_0(%x: memref<802816xf32>, %y: memref<200704xf32>,      // after
                                  %scratch: memref<70656xi8>, %begin: index, %end: index)
        attributes {task.kernel, task.range = 64 : i64, task.scratch = 70656 : i64}
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32",
                        "Vector register width of the target, in bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def LowerOffloadPass : Pass<"convoy-kernels-lower-offload", "mlir::ModuleOp"> {
  let summary = "Lowers each kernel of a device to a task.offload of its program";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.offload<...>` and the program
    as first argument. Gives: functions on flat memory with a range of one step, and the programs in
    `task.programs` of the module. Does not do: compile programs (the device stage does).

    func.func private @conv_0(%p: tensor<512xui8>, %x: tensor<64xf32>) -> tensor<64xf32>  // before
        attributes {task.kernel, task.config = #kernel.offload<device = "d", program = true>}

    func.func private @conv_0(%p: memref<512xi8>, %x: memref<64xf32>, %y: memref<64xf32>, // after
                              %status: memref<1xi32>, %begin: index, %end: index)
        attributes {task.kernel, task.range = 1 : i64, task.status} {
      task.offload 0 (%x) to (%y) status %status
  }];
  let dependentDialects = ["convoy::task::TaskDialect"];
}

def LowerConvDotPass : Pass<"convoy-kernels-lower-conv-dot", "mlir::ModuleOp"> {
  let summary = "Lowers each conv_dot kernel to a loop nest around tiles of dot products";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.conv_dot<...>`: an integer
    convolution or product whose weights have the layout of that configuration, followed by
    requantization. Gives: functions on flat memory, as `convoy-kernels-lower-loops` does. Sums use
    the instructions that `dot` selects: `bytes` needs VNNI; `pairs` needs SSE2, AVX2 or AVX-512 BW,
    depending on the block; `none` needs no extension. All three give the same bits. Does not do:
    choose configurations (Layout does).

    func.func private @conv_0(%x: tensor<1x64x56x56xui8, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x64x3x3xi8, #kernel.dot_weights<o = 32, i = 16, ...>>, ...)
        -> tensor<1x64x56x56xui8, #graph.blocked<c = 16>>
        attributes {task.kernel, task.config = #kernel.conv_dot<...>}

    func.func private @conv_0(%x: memref<200704xi8>, %w: memref<37120xi8>, ...,        // after
                              %y: memref<200704xi8>, %begin: index, %end: index)
        attributes {task.kernel, task.range = 8 : i64}
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32",
                        "Vector register width of the target, in bytes">,
                 Option<"dot", "dot", "std::string", "\"none\"",
                        "Integer dot-product instructions of the target: none, pairs or bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def LowerConvTilesPass : Pass<"convoy-kernels-lower-conv-tiles", "mlir::ModuleOp"> {
  let summary = "Lowers each conv_tiles kernel to copies of bands and products of tile registers";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.conv_tiles<...>`: an integer
    convolution whose weights have the layout of that configuration, followed by requantization.
    Gives: functions on flat memory, as `convoy-kernels-lower-loops` does, with scratch memory for
    the tile configuration, the sums and the copied input. Each function configures the tile
    registers when it starts and releases them when it ends. Does not do: choose configurations
    (Layout does).

    func.func private @conv_0(%x: tensor<1x64x56x56xui8, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x64x3x3xi8, #kernel.dot_weights<o = 16, i = 64, ...>>, ...)
        -> tensor<1x64x56x56xui8, #graph.blocked<c = 16>>
        attributes {task.kernel, task.config = #kernel.conv_tiles<...>}

    func.func private @conv_0(%x: memref<200704xi8>, %w: memref<37120xi8>, ...,        // after
                              %y: memref<200704xi8>, %scratch: memref<49216xi8>,
                              %begin: index, %end: index)
        attributes {task.kernel, task.range = 14 : i64, task.scratch = 49216 : i64}
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "64",
                        "Vector register width of the target, in bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def LowerDepthwisePass : Pass<"convoy-kernels-lower-depthwise", "mlir::ModuleOp"> {
  let summary = "Lowers each depthwise kernel to a loop nest around strips of pixels";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.depthwise<...>`, whose weights
    have blocks of one input channel and whose input and result are blocked. Gives: functions on
    flat memory, as `convoy-kernels-lower-loops` does. The code loads each input column once per
    strip and row of taps and resolves padding as `convoy-kernels-lower-conv-direct` does. 8-bit
    integers are summed in i32 with the instructions that `dot` selects. Does not do: choose
    configurations (Layout does).

    func.func private @conv_0(%x: tensor<1x64x56x56xf32, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x1x3x3xf32, #kernel.conv_weights<o = 16, i = 1, transposed = false>>)
        -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
        attributes {task.kernel, task.config = #kernel.depthwise<...>}

    func.func private @conv_0(%x: memref<200704xf32>, %w: memref<576xf32>,             // after
                              %y: memref<200704xf32>, %begin: index, %end: index)
        attributes {task.kernel, task.range = 8 : i64}
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32",
                        "Vector register width of the target, in bytes">,
                 Option<"dot", "dot", "std::string", "\"none\"",
                        "Integer dot-product instructions of the target: none, pairs or bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def LowerWinogradPass : Pass<"convoy-kernels-lower-winograd", "mlir::ModuleOp"> {
  let summary = "Lowers each winograd kernel to input transform, products and output transform";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.winograd<...>`, whose input
    and result are blocked and whose weights are transformed. Gives: functions on flat memory, as
    `convoy-kernels-lower-loops` does, with scratch memory for the transformed input and the
    products of a task. Tiles that cross the edge of the input are padded with zeros. Tiles that
    cross the edge of the result are clipped. Does not do: choose configurations (Layout does).

    func.func private @conv_0(%x: tensor<1x64x56x56xf32, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x64x3x3xf32, #kernel.winograd_weights<tile = 4, o = 32, panels = 2>>)
        -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
        attributes {task.kernel, task.config = #kernel.winograd<...>}

    func.func private @conv_0(%x: memref<200704xf32>, %w: memref<147456xf32>,          // after
                              %y: memref<200704xf32>, %s: memref<262656xi8>,
                              %begin: index, %end: index)
        attributes {task.kernel, task.range = 14 : i64, task.scratch = 262656 : i64}
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32",
                        "Vector register width of the target, in bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def LowerWinogradPixelsPass : Pass<"convoy-kernels-lower-winograd-pixels", "mlir::ModuleOp"> {
  let summary = "Lowers each winograd_pixels kernel to transforms and products of vectors of tiles";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.winograd_pixels<...>`, whose
    input and result are planar and whose weights are transformed. Gives: functions on flat memory,
    as `convoy-kernels-lower-loops` does, with scratch memory for the copied input of a channel, the
    transformed input of a band and the products of a group. Tiles that cross the edge of the input
    read zeros. Tiles that cross the edge of the result are clipped. Does not do: choose
    configurations (Layout does).

    func.func private @conv_0(%x: tensor<1x64x56x56xf32>,                              // before
        %w: tensor<64x64x3x3xf32, #kernel.winograd_weights<tile = 4, o = 3, panels = 1>>)
        -> tensor<1x64x56x56xf32>
        attributes {task.kernel, task.config = #kernel.winograd_pixels<...>}

    func.func private @conv_0(%x: memref<200704xf32>, %w: memref<152064xf32>,          // after
                              %y: memref<200704xf32>, %s: memref<2621440xi8>,
                              %begin: index, %end: index)
        attributes {task.kernel, task.range = 22 : i64, task.scratch = 2621440 : i64}
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32",
                        "Vector register width of the target, in bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def LowerLoopsPass : Pass<"convoy-kernels-lower-loops", "mlir::ModuleOp"> {
  let summary = "Lowers each remaining kernel to a loop nest over memory with explicit vectors";
  let description = [{
    Takes: functions marked `task.kernel` with graph ops on tensors. Gives: functions on flat
    memory. Their arguments are the operands, the results and the range [begin, end) of the
    outermost loop; `task.range` is the length of the whole range. Elements narrower than a byte
    take a byte, bf16 is i16, bool is i8. Lanes run along the last dimension that is not 1. This is
    the fallback template: it supports every kernel whose ops have an emitter. Does not do: use
    template configurations.

    func.func private @unary_0(%x: tensor<4x8xf32>) -> tensor<4x8xf32>           // before
        attributes {task.kernel}

    func.func private @unary_0(%x: memref<32xf32>, %y: memref<32xf32>,           // after
                               %begin: index, %end: index)
        attributes {task.kernel, task.range = 4 : i64}
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "int64_t", "32",
                        "Vector register width of the target, in bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

def LowerMathPass : Pass<"convoy-kernels-lower-math"> {
  let summary = "Replaces every math op that would call libm";
  let description = [{
    Takes: math dialect ops on f16, bf16, f32 or f64, scalar or vector. Gives: arith ops and those
    math ops that are a single exact IEEE 754 operation (absf, ceil, copysign, floor, fma,
    roundeven, sqrt, trunc, and math ops on integers). f16 and bf16 functions are computed in f32;
    some f32 functions are computed in f64. docs/reference/math-ulp.md lists the accuracy of each
    function. The pass neither reads nor sets fast-math flags.
    If `fuse-multiply-add=false`, for targets without the instruction, the pass splits fma into a
    product and a sum. This rounds twice instead of once, so results on such targets may differ in
    the last bits, which the float policy allows.
    Does not do: expand conversions of f16 and bf16, or exact ops for which the target has no
    instruction. ceil, floor, roundeven and trunc need SSE4.1 on x86-64, so x86-64-v2 is the minimum
    x86 target. The expansions use none of these four ops.

    %y = math.rsqrt %x : vector<16xf32>                           // before

    %one = arith.constant dense<1.000000e+00> : vector<16xf32>    // after
    %root = math.sqrt %x : vector<16xf32>
    %y = arith.divf %one, %root : vector<16xf32>
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
  let options = [Option<"fuseMultiplyAdd", "fuse-multiply-add", "bool", "true",
                        "Keep math.fma, because the target has the instruction">];
}

def CheckKernelsContractPass : Pass<"convoy-kernels-check-contract"> {
  let summary = "Checks the clauses about kernel bodies on which Memory and Codegen rely";
  let description = [{
    Takes: IR after the kernels stage. Gives: the same IR, or one error per op that breaks a clause.
    Contract.cpp states the clauses and their reasons. Does not do: change the IR.

    %y = math.exp %x : f32        // error: breaks [kernels.1]

    %y = math.sqrt %x : f32       // passes
  }];
}

#endif // CONVOY_KERNELS_PASSES_TD
