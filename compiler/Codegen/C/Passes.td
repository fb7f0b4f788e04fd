// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the C exit, in the order in which they run.

#ifndef CONVOY_CODEGEN_C_PASSES_TD
#define CONVOY_CODEGEN_C_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerForSourcePass : Pass<"convoy-codegen-lower-for-source", "mlir::func::FuncOp"> {
  let summary = "Each op of a kernel has one counterpart in C";
  let description = [{
    Takes: kernels, main and workers in planned memory. Gives: conversions between bf16
    and f32 as integer arithmetic, and divisions that round up or down as those that C
    has. Changes no result. Does not fold: canonicalization and CSE follow in the exit's
    pipeline.

    %n = arith.ceildivsi %a, %b : index                           // before

    %x = arith.divsi ...                                          // after
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::vector::VectorDialect"];
}

def CheckSourceContractPass : Pass<"convoy-codegen-check-source-contract", "mlir::ModuleOp"> {
  let summary = "Every op can be printed as C";
  let description = [{
    Takes: the module that is to be printed. Gives: it unchanged, or one error for each
    op without a form in C, with the kernel, the nodes and what to do. Does not repair.

    %y = math.exp %x : f32                  // is refused: no libm decides results
    %y = math.fma %a, %b, %c : f32          // passes: C has it, exactly
  }];
}

def EmitSourcePass : Pass<"convoy-codegen-emit-source", "mlir::ModuleOp"> {
  let summary = "The C files of the module are in a folder";
  let description = [{
    Takes: a module that convoy-codegen-check-source-contract passes. Gives: it unchanged, and
    `<model>.c`, `<model>.h` and, above 1 MiB, the weights in `directory`. For tests; the
    driver calls the same function.

    call @conv_0(%x, %w, %y, %c0, %c8)      // before

    net_conv_0(x, net_w0, ARENA(float, 64), 0, 8);          // in net.c
  }];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">,
                 Option<"directory", "directory", "std::string", "\".\"", "Folder for the files">,
                 Option<"plain", "plain", "bool", "false",
                        "Loops over lanes instead of vector types">];
}

#endif // CONVOY_CODEGEN_C_PASSES_TD
