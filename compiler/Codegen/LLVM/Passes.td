// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares and documents the passes of the LLVM backend, in the order in which they run.

#ifndef CONVOY_CODEGEN_LLVM_PASSES_TD
#define CONVOY_CODEGEN_LLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerVectorsPass : Pass<"convoy-codegen-lower-vectors", "::convoy::task::KernelOp"> {
  let summary = "Lower vector, bf16 and rounded-division ops of kernels to ops that LLVM has";
  let description = [{
    Takes: kernels (`task.kernel`). Gives: multi-dimensional broadcasts, transposes, shape
    casts and masks split into one-dimensional steps; conversions between bf16 and f32
    as integer arithmetic, because the instruction of some CPUs flushes denormals and
    other CPUs need a library call; minimum and maximum of f16 in f32, because CPUs
    without f16 arithmetic lose NaN. With `expand-halves`, conversions between f16 and f32
    as integer and f32 arithmetic. Does not do: change other functions, which consist
    of calls.

    %y = arith.extf %x : bf16 to f32                              // before

    %bits = arith.bitcast %x : bf16 to i16                        // after
    %wide = arith.extui %bits : i16 to i32
    %high = arith.shli %wide, %c16 : i32
    %y = arith.bitcast %high : i32 to f32
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::vector::VectorDialect"];
  let options = [Option<"expandHalves", "expand-halves", "bool", "false",
                        "Expand conversions between f16 and f32, for CPUs without instructions for them">];
}

def LowerToLLVMPass : Pass<"convoy-codegen-lower-to-llvm", "mlir::ModuleOp"> {
  let summary = "Convert every op to the LLVM dialect, with memrefs as plain pointers";
  let description = [{
    Takes: functions of func, cf, arith, math, memref and vector, and multiply ops of
    kernel, on static, one-dimensional memrefs of identity layout. Gives: the same functions in the LLVM
    dialect. Symbols get the model's name as a prefix. Kernels are hidden and never
    inlined, and their arguments do not alias. A memref becomes a pointer instead of
    upstream's descriptor, which makes the body of main ten times smaller.
    `memref.copy` becomes memmove. Does not do: set fast-math flags; create the C
    entry.

    task.kernel @add_0(%x: memref<8xf32>, %b: index)  // before

    llvm.func hidden @net_add_0(%x: !llvm.ptr {llvm.noalias}, %b: i64)               // after
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">];
}

def InsertReloadsPass : Pass<"convoy-codegen-insert-reloads", "mlir::ModuleOp"> {
  let summary = "Reload base pointers in main so that no address is live for more than a few calls";
  let description = [{
    Takes: `<model>_main` and workers in the LLVM dialect: long sequences of calls with
    addresses in the arena and in the weights. Gives: volatile loads of these base
    pointers from the stack after every `calls` calls, so that LLVM cannot merge equal
    addresses across the whole function. The time of LLVM's register allocator is
    quadratic in the length of such live ranges: 9 s of 10 s for 10,000 calls. Does not
    do: change functions with fewer calls.

    llvm.call @net_add_0(%a, %b)                                  // before
    %p = llvm.getelementptr %arena[64]

    llvm.call @net_add_0(%a, %b)                                  // after
    %again = llvm.load volatile %slot
    %p = llvm.getelementptr %again[64]
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">,
                 Option<"calls", "calls", "int64_t", "64", "Number of calls between two reloads">];
}

def InsertProbesPass : Pass<"convoy-codegen-insert-probes", "mlir::ModuleOp"> {
  let summary = "Wrap marked calls of kernels and waits in a loop that a probe function controls";
  let description = [{
    Takes: calls in the LLVM dialect. A call that is timed has a number in `task.probe`; the
    number of a wait is negative (`Task/Probe.h`). Gives: each of these calls in a loop. The
    loop calls the function of the exported pointer `<model>_probe` with the number and runs
    the kernel as long as the result is not 0. A wait whose flag is set already has no probe.
    The program that loads the model sets the pointer before it runs the model. Only `convoy bench --layers` and `--trace` use this
    pass. Does not do: change calls without a number, or waits without the option `waits`.

    llvm.call @net_conv_0(%x) {task.probe = 7 : i64}              // before

  ^ask:                                                           // after
    %probe = llvm.load @net_probe
    %again = llvm.call %probe(7)
    llvm.cond_br %again != 0, ^run, ^next
  ^run:
    llvm.call @net_conv_0(%x)
    llvm.br ^ask
  ^next:
  }];
  let dependentDialects = ["convoy::task::TaskDialect", "mlir::LLVM::LLVMDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">,
                 Option<"hasWaits", "waits", "bool", "false",
                        "Also time the waits of threads for each other">];
}

def InsertRegionPass : Pass<"convoy-codegen-insert-region", "mlir::ModuleOp"> {
  let summary = "Define the functions that start and synchronize workers";
  let description = [{
    Takes: workers in the LLVM dialect with calls of `<model>_wait` and `<model>_post`,
    and a call of `<model>_region` in main. Gives: the definitions of these functions,
    and `<model>_work(context, worker)`, which the runtime calls on each thread. Flags
    are atomic: a wait is an acquire load, a post is an exchange. Declares the three
    functions of the runtime. Does not do: change a model for one thread.

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
  let summary = "Create the C function <model>_run, the entry of the model";
  let description = [{
    Takes: `<model>_main` in the LLVM dialect whose arguments have `memory.role`. Gives:
    `<model>_run(inputs, outputs, workspace)`, which checks the pointers, loads the
    pointers of the tensors from the two structures and calls main; the external symbol
    `<model>_weights`; and the attributes `codegen.inputs`, `codegen.outputs` and
    `codegen.extents` of the module, from which the header and the loader read the
    interface. Does not do: check the CPU. The runtime checks it and sets
    `<model>_status`, which `<model>_run` returns if it is not 0.

    llvm.func @net_main(%x: !llvm.ptr {memory.role = "input", graph.name = "x", ...}, ...)

    llvm.func @net_run(%inputs: !llvm.ptr, %outputs: !llvm.ptr, %workspace: !llvm.ptr) -> i32
  }];
  let dependentDialects = ["convoy::codegen::CodegenDialect", "mlir::LLVM::LLVMDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">,
                 Option<"mapsWeights", "maps-weights", "bool", "false",
                        "Declare `<model>_weights` as a pointer that the runtime sets">];
}

def InsertLineInfoPass : Pass<"convoy-codegen-insert-line-info", "mlir::ModuleOp"> {
  let summary = "Add line tables that name the ONNX node of each kernel and call";
  let description = [{
    Takes: functions of the LLVM dialect whose locations name ONNX nodes. Gives: a
    debug-info subprogram per kernel, named after its node, in the file
    `<model>.onnx`. Line N is the N-th kernel call of main. A kernel of several nodes
    has the name of the first node; the line of the call distinguishes the nodes. Does
    not do: change code.

    llvm.func @net_conv_0(...) loc("Conv_3")                      // before

    llvm.func @net_conv_0(...) loc(fused<#di_subprogram<name = "Conv_3", line = 4>>)  // after
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let options = [Option<"model", "model", "std::string", "\"model\"",
                        "Prefix of every symbol; a C identifier">];
}

def CheckCodegenContractPass : Pass<"convoy-codegen-check-contract", "mlir::ModuleOp"> {
  let summary = "Check the properties of the module that object emission assumes";
  let description = [{
    Takes: the module after the stage. Gives: the same module, or an error at each op
    that breaks a clause. Contract.cpp contains the clauses and their reasons. Does not
    do: change the module.

    llvm.call @expf(%x) : (f32) -> f32        // error: compiled models link no libm

    llvm.call @net_add_0(...)                 // accepted
  }];
}

#endif // CONVOY_CODEGEN_LLVM_PASSES_TD
