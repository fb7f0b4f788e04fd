// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the kernels stage.

#ifndef CONVOY_KERNELS_PASSES_TD
#define CONVOY_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerMathPass : Pass<"convoy-kernels-lower-math"> {
  let summary = "No math op is left that would call libm";
  let description = [{
    Takes: math dialect ops on f16, bf16, f32 or f64, scalar or vector. Gives: arith
    ops and, of the math dialect, only those that are one exact IEEE 754 operation
    (absf, ceil, copysign, floor, fma, roundeven, sqrt, trunc, and those on integers).
    f16 and bf16 are computed in f32; some f32 functions in f64. How accurate each
    function is: docs/reference/math-ulp.md. Reads no fast-math flags and sets none.
    Does not expand the conversions of f16 and bf16, nor fma on targets that lack it:
    `fuse-multiply-add=false` avoids the latter.

    %y = math.rsqrt %x : vector<16xf32>                           // before

    %one = arith.constant dense<1.000000e+00> : vector<16xf32>    // after
    %root = math.sqrt %x : vector<16xf32>
    %y = arith.divf %one, %root : vector<16xf32>
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
  let options = [Option<"fuseMultiplyAdd", "fuse-multiply-add", "bool", "true",
                        "Emit math.fma: the target has the instruction">];
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
