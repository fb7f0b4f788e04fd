// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the kernels stage: the lowering of devices, templates and generic loops, the expansion
// of math ops, and the check of the stage's contract.

#ifndef CONVOY_KERNELS_PASSES_TD
#define CONVOY_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertMachinePass : Pass<"convoy-kernels-insert-machine", "mlir::ModuleOp"> {
  let summary = "Sets the machine that the fusion, layout and kernels stages read";
  let description = [{
    Takes: any module. Gives: the attribute `kernel.machine` on the module, which the fusion, layout
    and kernels stages read. The pass runs once, at the start of the fusion stage. Tools that start at
    a later stage call the same function, `setMachine`. Does not do: choose or lower kernels.

    module { ... }                                                             // before

    module attributes {kernel.machine = #kernel.machine<vectorBytes = 64, ...>} { ... }  // after
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "32",
           "Width of a vector register of the target, in bytes">,
    Option<"vectorRegisters", "vector-registers", "int64_t", "16",
           "Number of vector registers of the target">,
    Option<"fmaPorts", "fma-ports", "int64_t", "2",
           "Vector multiply-adds per cycle; 0 if the target has no multiply-add instruction">,
    Option<"hasScalarOperands", "scalar-operands", "bool", "false",
           "Vector instructions take one factor from a scalar register">,
    Option<"firstCacheBytes", "first-cache-bytes", "int64_t", "32768",
           "Size of the first-level cache, in bytes">,
    Option<"secondCacheBytes", "second-cache-bytes", "int64_t", "1048576",
           "Size of the second-level cache, in bytes">,
    Option<"dot", "dot", "::convoy::kernels::DotForm", "::convoy::kernels::DotForm::None",
           "Integer dot-product instructions of the target",
           [{::llvm::cl::values(
               clEnumValN(::convoy::kernels::DotForm::None, "none", "Only lane-wise products"),
               clEnumValN(::convoy::kernels::DotForm::Pairs, "pairs",
                          "Sums of pairs of 16-bit products"),
               clEnumValN(::convoy::kernels::DotForm::Sdot, "sdot", "SDOT of 64-bit Arm"),
               clEnumValN(::convoy::kernels::DotForm::Usdot, "usdot", "USDOT of 64-bit Arm"),
               clEnumValN(::convoy::kernels::DotForm::Bytes, "bytes",
                          "Sums of four byte products"))}]>,
    Option<"hasTiles", "tiles", "bool", "false",
           "The target multiplies tile registers as matrices of bytes (AMX)">,
    Option<"hasByteOps", "byte-ops", "bool", "false",
           "Programs are emitted C for a machine without an operating system, which may use byte "
           "ops">,
    Option<"hasPairProducts", "pair-products", "bool", "false",
           "The target multiplies pairs of 16-bit numbers in general registers (SMLAD)">
  ];
  let dependentDialects = ["convoy::kernels::KernelDialect"];
}

def LowerTemplatesPass : Pass<"convoy-kernels-lower-templates", "mlir::ModuleOp"> {
  let summary = "Lowers each kernel with a configuration by the template of the configuration";
  let description = [{
    Takes: kernels with the configuration of a template in `config`,
    whose operands and results have the layouts of that configuration, and the machine of the
    module (`kernel.machine`). Gives: functions on flat memory, as `convoy-kernels-lower-loops`
    does. Does not do: choose configurations (Layout does), or lower kernels without one.

    The stage contains one instance of this pass per template. An instance lowers only the kernels
    of its template. Its name is `convoy-kernels-lower-` and the id of the template, for example
    `convoy-kernels-lower-conv-direct`, so a search for the first wrong pass names the template. The
    configuration attribute of a template describes its loops.

    task.kernel @conv_0(%x: tensor<1x64x56x56xf32, #graph.blocked<c = 16>>,      // before
        %w: tensor<64x64x3x3xf32, #kernel.conv_weights<o = 32, i = 16, transposed = false>>)
        -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
        attributes {config = #kernel.conv_direct<...>}

    task.kernel @conv_0(%x: memref<200704xf32>, %w: memref<36864xf32>,           // after
                              %y: memref<200704xf32>, %begin: index, %end: index)
        attributes {range = 8 : i64}
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def LowerOffloadPass : Pass<"convoy-kernels-lower-offload", "mlir::ModuleOp"> {
  let summary = "Lowers each kernel of a device to a task.offload of its program";
  let description = [{
    Takes: kernels with `config = #kernel.offload<...>` and the program
    as first argument. Gives: functions on flat memory with a range of one step, and the programs in
    `task.programs` of the module. Does not do: compile programs (the device stage does).

    task.kernel @conv_0(%p: tensor<512xui8>, %x: tensor<64xf32>) -> tensor<64xf32>  // before
        attributes {config = #kernel.offload<device = "d", program = true>}

    task.kernel @conv_0(%p: memref<512xi8>, %x: memref<64xf32>, %y: memref<64xf32>, // after
                              %status: memref<1xi32>, %begin: index, %end: index)
        attributes {range = 1 : i64, may_fail} {
      task.offload 0 (%x) to (%y) status %status
  }];
  let dependentDialects = ["convoy::task::TaskDialect"];
}

def LowerLoopsPass : Pass<"convoy-kernels-lower-loops", "mlir::ModuleOp"> {
  let summary = "Lowers each remaining kernel to a loop nest over memory with explicit vectors";
  let description = [{
    Takes: kernels with graph ops on tensors, and the machine of the module
    (`kernel.machine`). Gives: functions on flat memory. Their arguments are the operands, the results and the range [begin, end) of the
    outermost loop; `range` is the length of the whole range. Elements narrower than a byte
    take a byte, bf16 is i16, bool is i8. Lanes run along the last dimension that is not 1. This is
    the fallback template: it supports every kernel whose ops have an emitter. Does not do: use
    template configurations.

    task.kernel @unary_0(%x: tensor<4x8xf32>) -> tensor<4x8xf32>           // before

    task.kernel @unary_0(%x: memref<32xf32>, %y: memref<32xf32>,           // after
                               %begin: index, %end: index)
        attributes {range = 4 : i64}
  }];
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
    memref.store %e, %x[%i]       // error: breaks [kernels.2] if the access of %x is `read`

    %y = math.sqrt %x : f32       // passes
  }];
}

#endif // CONVOY_KERNELS_PASSES_TD
