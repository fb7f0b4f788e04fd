// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares and documents the passes of the memory stage.

#ifndef CONVOY_MEMORY_PASSES_TD
#define CONVOY_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertFetchesPass : Pass<"convoy-memory-insert-fetches", "mlir::ModuleOp"> {
  let summary = "Insert a run that fetches the rows of an input from the caller";
  let description = [{
    Takes: @main with `task.run`, and arguments with `task.by_rows`. Gives: a run before the first
    reader of each such argument. Its kernel fetches one row per step, and its result replaces the
    argument. If all readers are kernels that reach the argument through `task.row_view`, the rows
    are those of the views, so the result can become a ring. Otherwise the whole input is one row.
    The argument has `memory.input_rows`. Does not do: choose rings.

    func.func @main(%x: tensor<1x8x4x3xi8> {task.by_rows}) -> ... {          // before
      %0 = task.run @conv_0(%x, %w) : ...

    func.func @main(%x: tensor<1x8x4x3xi8> {memory.input_rows = 8 : i64}) -> ... {   // after
      %rows = task.run @fetch_0(%x) : (tensor<1x8x4x3xi8>) -> tensor<1x8x4x3xi8>
      %0 = task.run @conv_0(%rows, %w) : ...
  }];
  let dependentDialects = ["convoy::memory::MemoryDialect", "convoy::task::TaskDialect",
                           "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect"];
}

def ChooseRowGroupsPass : Pass<"convoy-memory-choose-row-groups", "mlir::ModuleOp"> {
  let summary = "Choose the runs that proceed row by row, so that the arena is small";
  let description = [{
    Takes: @main with `task.run`, and lowered kernels whose steps are rows and which reach their
    tensors through `task.row_view`. Gives: `row_group` on consecutive runs that need less
    memory row by row: a tensor between them is then a ring of a few rows. The pass finds the
    smallest possible maximum over all runs of the bytes that are live during a run or a group,
    and the fewest runs in groups that reach it. Then it marks runs and groups `descending`
    if the whole plan needs less memory when they start with the last row. No row is computed
    twice. Does not do: place tensors.

    %1 = task.run @conv_0(%x, %w) : ...                              // before
    %2 = task.run @conv_1(%1, %v) : ...

    %1 = task.run @conv_0(%x, %w) {row_group = 0 : i64} : ...   // after
    %2 = task.run @conv_1(%1, %v) {row_group = 0 : i64} : ...
  }];
  let options = [Option<"alignment", "alignment", "int64_t", "64",
                        "Alignment of tensors in bytes">];
  let statistics = [Statistic<"groupCount", "groups", "Groups of runs that proceed row by row">];
}

def PlanArenaPass : Pass<"convoy-memory-plan-arena", "mlir::ModuleOp"> {
  let summary = "Lower @main to flat memory with each tensor at a fixed offset";
  let description = [{
    Takes: @main with `task.run`, constants, reshapes and control flow on tensors,
    and kernels that are already on memory. Gives: @main on flat memory: inputs,
    outputs, an arena and the weights. Every other tensor has a fixed offset in the
    arena or in the weights. Two tensors share bytes if they are not live at the
    same time. An argument or result of @main with `task.in_arena` is a tensor of the
    arena: the input is live from the start, the output is live to the end, and
    `memory.offset` is on its argument, which is unused. Reshapes disappear; control flow becomes scf. Attributes of the
    module hold the size of the arena and the content of the weights, and `memory.plan`
    holds the calls and the place of each of their tensors in the arena. With several
    memories, each tensor is in the fastest memory that has enough free bytes, the
    largest tensors first; @main has one arena per memory, and `memory.arenas`
    describes all of them. With `copies-weights`, `memory.copied_weights` has the
    offsets of constants that start-up code copies to the first memory: those whose
    kernels compute the most elements first. Does not do: split a tensor.

    %0 = task.run @conv_0(%x, %w) : ...                                     // before
    return %0

    func.func @main(%x: memref<..>, %y: memref<..>,                         // after
                    %arena: memref<64xi8>, %weights: memref<4608xi8>) -> i32 {
      %w = memref.view %weights[%offset][] : ...
      call @conv_0(%x, %w, %y, %zero, %range)
  }];
  let dependentDialects = ["convoy::memory::MemoryDialect", "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
  let options = [Option<"reuse", "reuse", "bool", "true",
                        "Let tensors share bytes if they are not live at the same time">,
                 Option<"alignment", "alignment", "int64_t", "64",
                        "Alignment of tensors in bytes">,
                 ListOption<"memories", "memories", "std::string",
                            "Memories of tensors as NAME:BYTES, the fastest one first; 0 bytes: "
                            "unlimited">,
                 Option<"copiesWeights", "copies-weights", "bool", "false",
                        "Copy constants to the first memory as long as it has free bytes">,
                 Option<"rows", "rows", "bool", "false",
                        "Use rings in groups of runs, and results over consumed rows">];
}

def LowerRowGroupsPass : Pass<"convoy-memory-lower-row-groups", "mlir::ModuleOp"> {
  let summary = "Lower the calls of a group to a loop that computes one row per call";
  let description = [{
    Takes: calls in planned memory; the calls of a group have `pace` and are in one block.
    Gives: one loop per group. In round t, a call computes row (t - lag) / stride if this is a row
    of its kernel; a descending group counts rows from the last row. Removes `pace`. Does not
    do: choose groups or paces.

    task.call @conv_0(%x, %w, %y, %c0, %c8)
        {pace = #task.pace<group = 0, stride = 1, lag = 0, descending = false>}
    task.call @conv_1(%y, %v, %z, %c0, %c8)
        {pace = #task.pace<group = 0, stride = 1, lag = 1, descending = false>}

    scf.for %t = %c0 to %c9 step %c1 {                                                  // after
      scf.if %isBelow8 { call @conv_0(%x, %w, %y, %t, %next) }
      scf.if %isAbove0 { call @conv_1(%y, %v, %z, %before, %t) }
    }
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def LowerRowViewsPass : Pass<"convoy-memory-lower-row-views", "mlir::ModuleOp"> {
  let summary = "Lower views of rows to offsets in the tensors' memory";
  let description = [{
    Takes: kernels with `task.row_view`, and their calls with the rings of their
    arguments in `rings`. Gives: kernels with `memref.subview` at row times
    elements per row. If every call keeps the tensor in a ring of R rows, the kernel
    uses the remainder of the row modulo R. If calls have rings of different sizes,
    the kernel gets the number of rows as an argument before its range, so that all
    calls share one function. Removes `rings`. Does not do: choose rings.

    %r = task.row_view %x[%row] rows 48                                     // before
        : memref<18432xi8> -> memref<384xi8, strided<[1], offset: ?>>

    %at = arith.remui %row, %c3 : index                                     // after
    %offset = arith.muli %at, %c384 : index
    %r = memref.subview %x[%offset] [384] [1]
        : memref<18432xi8> to memref<384xi8, strided<[1], offset: ?>>
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::memref::MemRefDialect"];
}

def CheckMemoryContractPass : Pass<"convoy-memory-check-contract", "mlir::ModuleOp"> {
  let summary = "Check that no tensor and no view of a row remains and that sizes are set";
  let description = [{
    Takes: a module after memory planning. Gives: the same module, or an error at
    each op with a tensor result, at each `task.row_view`, or at a module without
    the sizes of its memories or without the memory plan.
    Does not do: change the module.

    %y = task.run @unary_0(%x) : (tensor<4xf32>) -> tensor<4xf32>   // error
    call @unary_0(%x, %y, %begin, %end) : ...                       // accepted
  }];
}

#endif // CONVOY_MEMORY_PASSES_TD
