// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares and documents the passes of the C backend, in the order in which they run.

#ifndef CONVOY_CODEGEN_C_PASSES_TD
#define CONVOY_CODEGEN_C_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerForSourcePass
    : InterfacePass<"convoy-codegen-lower-for-source", "mlir::FunctionOpInterface"> {
  let summary = "Lower bf16 conversions and rounded divisions to ops that C has";
  let description = [{
    Takes: kernels, main and workers in planned memory. Gives: conversions between bf16
    and f32 as integer arithmetic, divisions that round up or down as divisions that
    truncate, and products of sign-extended halves of lanes as kernel.multiply_halves.
    Results stay equal. Does not do: fold. Canonicalization and CSE follow in
    the pipeline.

    %n = arith.ceildivsi %a, %b : index                           // before

    %x = arith.divsi ...                                          // after
  }];
  let dependentDialects = ["convoy::kernels::KernelDialect", "mlir::arith::ArithDialect",
                           "mlir::vector::VectorDialect"];
}

def CheckSourceContractPass : Pass<"convoy-codegen-check-source-contract", "mlir::ModuleOp"> {
  let summary = "Check that every op can be printed as C";
  let description = [{
    Takes: the module that will be printed. Gives: the same module, or an error at each
    op that C cannot express, with the kernel, the nodes and a remedy. Does not do:
    change the module.

    %y = math.exp %x : f32                  // error: libm functions are not exact
    %y = math.fma %a, %b, %c : f32          // accepted: C has an exact fma
  }];
}

def EmitSourcePass : Pass<"convoy-codegen-emit-source", "mlir::ModuleOp"> {
  let summary = "Write the module as C files to a folder";
  let description = [{
    Takes: a module that convoy-codegen-check-source-contract accepts. Gives: the same
    module, and the files `<model>.c` and `<model>.h` in `directory`; weights above 1 MiB
    are a separate file. Only tests use this pass; the driver calls the same function.
    Does not do: run a C compiler.

    call @conv_0(%x, %w, %y, %c0, %c8)      // before

    net_conv_0(x, net_w0, ARENA(float, 64), 0, 8);          // in net.c
  }];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">,
                 Option<"directory", "directory", "std::string", "\".\"", "Folder of the files">,
                 Option<"plain", "plain", "bool", "false",
                        "Print loops over lanes instead of vector types">];
}

#endif // CONVOY_CODEGEN_C_PASSES_TD
