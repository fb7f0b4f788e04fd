// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the LLVM exit, in the order in which they run.

#ifndef CONVOY_CODEGEN_LLVM_PASSES_TD
#define CONVOY_CODEGEN_LLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerVectorsPass : Pass<"convoy-codegen-lower-vectors", "mlir::func::FuncOp"> {
  let summary = "Each vector, bf16 and rounded-division op of a kernel has one LLVM counterpart";
  let description = [{
    Takes: kernels (`task.kernel`). Gives: multi-dimensional broadcasts, transposes, shape
    casts and masks taken apart into steps; conversions between bf16 and f32 as
    integer arithmetic, because the instruction of some CPUs flushes denormals and
    others need a library call. Leaves other functions alone: they hold calls,
    thousands of them.

    %y = arith.extf %x : bf16 to f32                              // before

    %bits = arith.bitcast %x : bf16 to i16                        // after
    %wide = arith.extui %bits : i16 to i32
    %high = arith.shli %wide, %c16 : i32
    %y = arith.bitcast %high : i32 to f32
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::vector::VectorDialect"];
}

def LowerToLLVMPass : Pass<"convoy-codegen-lower-to-llvm", "mlir::ModuleOp"> {
  let summary = "Every op is of the LLVM dialect; a memref is a plain pointer";
  let description = [{
    Takes: functions of func, cf, arith, math, memref and vector on static,
    one-dimensional memrefs of identity layout. Gives: the same in the LLVM dialect,
    symbols prefixed with the model's name, kernels hidden and never inlined with
    arguments that do not alias. One conversion with pointers for memrefs instead of
    upstream's descriptors: the body of main shrinks tenfold. `memref.copy` becomes
    memmove. Sets no fast-math flag. Does not create the C entry.

    func.func private @add_0(%x: memref<8xf32>, %b: index) attributes {task.kernel}  // before

    llvm.func hidden @net_add_0(%x: !llvm.ptr {llvm.noalias}, %b: i64)               // after
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">];
}

def InsertReloadsPass : Pass<"convoy-codegen-insert-reloads", "mlir::ModuleOp"> {
  let summary = "No address in main lives longer than a few calls";
  let description = [{
    Takes: `<model>_main` and workers in the LLVM dialect: long rows of calls on addresses
    in the arena and the weights. Gives: those base pointers read back from the stack, as
    volatile, every `calls` calls, so that LLVM cannot merge equal addresses across
    the whole function. Its register allocator takes time quadratic in the length of
    such live ranges: 9 s of 10 s for 10,000 calls. Leaves shorter functions alone.

    llvm.call @net_add_0(%a, %b)                                  // before
    %p = llvm.getelementptr %arena[64]

    llvm.call @net_add_0(%a, %b)                                  // after
    %again = llvm.load volatile %slot
    %p = llvm.getelementptr %again[64]
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">,
                 Option<"calls", "calls", "int64_t", "64", "Calls between two reloads">];
}

def InsertProbesPass : Pass<"convoy-codegen-insert-probes", "mlir::ModuleOp"> {
  let summary = "Marked kernel calls ask before they run, and again after";
  let description = [{
    Takes: calls in the LLVM dialect, those to be timed with a number in their
    location (`Probe.h`). Gives: each of them in a loop that calls the function behind
    the exported pointer `<model>_probe` with the number, and runs the kernel as long
    as that returns something else than 0. The program that loads the model sets the
    pointer before it runs the model. Only for `convoy bench --layers`; calls without
    a number stay as they are.

    llvm.call @net_conv_0(%x) loc(fused<7 : i64>["Conv_3"])       // before

  ^ask:                                                           // after
    %probe = llvm.load @net_probe
    %again = llvm.call %probe(7)
    llvm.cond_br %again != 0, ^run, ^next
  ^run:
    llvm.call @net_conv_0(%x)
    llvm.br ^ask
  ^next:
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">];
}

def InsertRegionPass : Pass<"convoy-codegen-insert-region", "mlir::ModuleOp"> {
  let summary = "The functions that start and order workers have bodies";
  let description = [{
    Takes: workers in the LLVM dialect with calls of `<model>_wait` and `<model>_post`,
    and a call of `<model>_region` in main. Gives: these functions, and
    `<model>_work(context, worker)`, which the runtime calls in each thread. Flags are
    atomic: acquire when waiting, an exchange when posting. Declares the three
    functions of the runtime. Does nothing to a model for one thread.

    llvm.call @net_wait(%flag, %count)                            // before

    llvm.func @net_wait(%flag: !llvm.ptr, %count: i32) {          // after
      %now = llvm.load %flag atomic acquire
      ...
      llvm.call @convoy_flag_wait(%flag, %count)
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">];
}

def InsertEntryPass : Pass<"convoy-codegen-insert-entry", "mlir::ModuleOp"> {
  let summary = "The module has the C function <model>_run";
  let description = [{
    Takes: `<model>_main` in the LLVM dialect whose arguments carry `memory.role`. Gives:
    `<model>_run(inputs, outputs, workspace)`, which checks pointers, loads those of
    the tensors from the two structures and calls main; the external symbol
    `<model>_weights`; and `codegen.inputs` and `codegen.outputs` on the module, from
    which the header and the loader know the interface. Does not check the CPU: it
    returns `<model>_status` when that is not 0, and the runtime sets it.

    llvm.func @net_main(%x: !llvm.ptr {memory.role = "input", graph.name = "x", ...}, ...)

    llvm.func @net_run(%inputs: !llvm.ptr, %outputs: !llvm.ptr, %workspace: !llvm.ptr) -> i32
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">,
                 Option<"mapsWeights", "maps-weights", "bool", "false",
                        "`<model>_weights` is a pointer that the runtime sets, not the bytes">];
}

def InsertLineInfoPass : Pass<"convoy-codegen-insert-line-info", "mlir::ModuleOp"> {
  let summary = "Line tables name the ONNX node of each kernel and call";
  let description = [{
    Takes: functions of the LLVM dialect whose locations name ONNX nodes. Gives: a
    debug-info subprogram per kernel, named after its node, in the file
    `<model>.onnx`; line N stands for the N-th kernel call of main. A kernel shared
    by several nodes is named after the first; the line of the call tells them apart.

    llvm.func @net_conv_0(...) loc("Conv_3")                      // before

    llvm.func @net_conv_0(...) loc(fused<#di_subprogram<name = "Conv_3", line = 4>>)  // after
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">];
}

def CheckCodegenContractPass : Pass<"convoy-codegen-check-contract", "mlir::ModuleOp"> {
  let summary = "Check what object emission may assume of the module";
  let description = [{
    Takes: the module after the stage. Gives: it unchanged, or one error per op that
    breaks a clause. Contract.cpp states the clauses and their reasons. Does not repair.

    llvm.call @expf(%x) : (f32) -> f32        // refused: compiled models link no libm

    llvm.call @net_add_0(...)                 // passes
  }];
}

#endif // CONVOY_CODEGEN_LLVM_PASSES_TD
