// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the kernels stage.

#ifndef CONVOY_KERNELS_PASSES_TD
#define CONVOY_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerConvDirectPass : Pass<"convoy-kernels-lower-conv-direct", "mlir::ModuleOp"> {
  let summary = "Each kernel configured as conv_direct is a nest around register tiles";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.conv_direct<...>`,
    whose weights have the layout of that configuration and whose result is
    blocked. Gives: functions on flat memory as LowerLoops gives them. Padding of
    columns is settled when code is made, padding of rows by loop bounds; nothing
    is copied. Does not choose configurations: that is Layout's.

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
  let summary = "Each kernel configured as conv_pixels is a nest around vectors of pixels";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.conv_pixels<...>`,
    whose weights have blocks of one input channel and whose input and result are
    planar. Gives: functions on flat memory as LowerLoops gives them, with scratch
    memory where windows overlap. Does not choose configurations: that is Layout's.

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
  let summary = "Each kernel configured as pool_pixels is a nest around vectors of pixels";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.pool_pixels<...>`,
    that hold one max pool over planar f32. Gives: functions on flat memory as
    LowerLoops gives them, with scratch memory. Does not choose configurations: that is
    Layout's.

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
  let summary = "Each kernel that a device runs is a task.offload of its program";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.offload<...>` and
    the program as first argument. Gives: functions on flat memory of one step, and the
    programs as `task.programs` of the module. Does not make programs: that is the
    devices' stage.

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
  let summary = "Each kernel configured as conv_dot is a nest around tiles of dot products";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.conv_dot<...>`: an
    integer convolution or product whose weights have the layout of that configuration,
    and the rescaling behind it. Gives: functions on flat memory as LowerLoops gives
    them, whose sums are by the instructions that `dot` names: `bytes` needs VNNI,
    `pairs` SSE2, AVX2 or AVX-512 BW by the block, `none` nothing. All give the same
    bits. Does not choose configurations: that is Layout's.

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
                        "Sums of products of integers: none, pairs or bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def LowerConvTilesPass : Pass<"convoy-kernels-lower-conv-tiles", "mlir::ModuleOp"> {
  let summary = "Each kernel configured as conv_tiles copies bands and multiplies tiles";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.conv_tiles<...>`: an
    integer convolution whose weights have the layout of that configuration, and the
    rescaling behind it. Gives: functions on flat memory as LowerLoops gives them, with
    scratch memory for the tile configuration, the sums of a panel and the copied input.
    They configure tile registers when they begin and release them when they end. Does
    not choose configurations: that is Layout's.

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
  let summary = "Each kernel configured as depthwise is a nest around strips of pixels";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.depthwise<...>`,
    whose weights have blocks of one input channel and whose input and result are
    blocked. Gives: functions on flat memory as LowerLoops gives them. Each input
    column is loaded once per strip and row of taps; padding is settled as in
    LowerConvDirect. Integers of 8 bits are summed in i32, by the instructions that
    `dot` names. Does not choose configurations: that is Layout's.

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
                        "Sums of products of integers: none, pairs or bytes">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def LowerWinogradPass : Pass<"convoy-kernels-lower-winograd", "mlir::ModuleOp"> {
  let summary = "Each kernel configured as winograd transforms, multiplies and transforms back";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.winograd<...>`,
    whose input and result are blocked and whose weights are transformed. Gives:
    functions on flat memory as LowerLoops gives them, with scratch memory for the
    transformed input of a task and for its products. Tiles that reach over the
    edge of the input are completed with zeros, those that reach over the edge of
    the result are cut. Does not choose configurations: that is Layout's.

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
  let summary = "Each kernel configured as winograd_pixels transforms vectors of tiles and back";
  let description = [{
    Takes: functions marked `task.kernel` with `task.config = #kernel.winograd_pixels<...>`,
    whose input and result are planar and whose weights are transformed. Gives: functions
    on flat memory as LowerLoops gives them, with scratch memory for the copied input of
    a channel, the transformed input of a band and the products of a group. Tiles that
    reach over the edge of the input read zeros, what reaches over the edge of the result
    is not stored. Does not choose configurations: that is Layout's.

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
  let summary = "Each kernel is a loop nest over memory with explicit vectors";
  let description = [{
    Takes: functions marked `task.kernel` of graph ops on tensors. Gives:
    functions on flat memory, operands first, then results, then the range
    [begin, end) of the outermost loop; `task.range` holds its length. Elements
    narrower than a byte take a byte, bf16 is i16, bool is i8. Lanes run along the
    last dimension that is not 1. Any kernel whose ops have an emitter is taken:
    this is the template everything falls back to.

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
  let summary = "No math op is left that would call libm";
  let description = [{
    Takes: math dialect ops on f16, bf16, f32 or f64, scalar or vector. Gives: arith
    ops and, of the math dialect, only those that are one exact IEEE 754 operation
    (absf, ceil, copysign, floor, fma, roundeven, sqrt, trunc, and those on integers).
    f16 and bf16 are computed in f32; some f32 functions in f64. How accurate each
    function is: docs/reference/math-ulp.md. Reads no fast-math flags and sets none.
    `fuse-multiply-add=false`, for targets without the instruction, makes fma a
    product and a sum: two roundings instead of one, so that sums of such targets
    differ from others' in their last bits, as they may by the float policy.
    Does not expand the conversions of f16 and bf16, nor other exact ops a target has
    no instruction for: ceil, floor, roundeven and trunc need SSE4.1 on x86-64, which
    makes x86-64-v2 the least of its targets. The expansions use none of those.

    %y = math.rsqrt %x : vector<16xf32>                           // before

    %one = arith.constant dense<1.000000e+00> : vector<16xf32>    // after
    %root = math.sqrt %x : vector<16xf32>
    %y = arith.divf %one, %root : vector<16xf32>
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
  let options = [Option<"fuseMultiplyAdd", "fuse-multiply-add", "bool", "true",
                        "Emit and keep math.fma: the target has the instruction">];
}

def CheckKernelsContractPass : Pass<"convoy-kernels-check-contract"> {
  let summary = "Check what Memory and Codegen may assume of kernel bodies";
  let description = [{
    Takes: any IR after the stage. Gives: it unchanged, or one error per op that breaks
    a clause. Contract.cpp states the clauses and their reasons. Does not repair.

    %y = math.exp %x : f32        // refused: the clause on math ops

    %y = math.sqrt %x : f32       // passes
  }];
}

#endif // CONVOY_KERNELS_PASSES_TD
