// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task dialect: kernels as functions, runs of kernels, and parallel workers. Tasks, Kernels,
// Memory and Codegen share the dialect.

#ifndef CONVOY_TASK_TASK_TD
#define CONVOY_TASK_TASK_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Task_Dialect : Dialect {
  let name = "task";
  let cppNamespace = "::convoy::task";
  let summary = "Runs of kernels and their parallel execution";
  let description = [{
    A kernel is a private function marked `task.kernel`. A task is a run of a kernel over its whole
    outermost range; equal kernels share a function. After memory planning, a worker is a private
    function marked `task.worker`: the list of calls of one thread, each over a part of the kernel's
    range. Workers synchronise through flags, one per worker, which only increase: each worker posts
    the number of steps it has done, and other workers wait until the number is large enough.
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

def Task_RunOp : Op<Task_Dialect, "run", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel on tensors";
  let description = [{
    - [run.1] `kernel` names a function marked `task.kernel` whose type has the types of the operands
      and results or, after lowering, memory for each of them and a range.

    ```mlir
    %y = task.run @conv_0(%x, %w) : (tensor<1x8x32x32xf32>, ...) -> tensor<1x16x30x30xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $values)";
}

def Task_ParallelOp : Op<Task_Dialect, "parallel", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs one worker per thread in parallel";
  let description = [{
    Sets all flags to 0, runs worker 0 in the calling thread and each other worker in a thread of
    its own, and ends when all workers have ended. Returns false without running any worker if not
    enough threads are available.

    - [parallel.1] `workers` names functions marked `task.worker` whose arguments are the operands.
    - [parallel.2] `flags` has one cache line for each worker, followed by the flags of rounds and the
      words of shares.

    ```mlir
    %ran = task.parallel [@worker_0, @worker_1](%x, %y, %arena, %weights) flags %flags
        : (memref<64xf32>, memref<64xf32>, memref<256xi8>, memref<0xi8>), memref<32xi32>
    ```
  }];
  let arguments = (ins FlatSymbolRefArrayAttr:$workers, Variadic<AnyMemRef>:$inputs,
                       AnyMemRef:$flags);
  let results = (outs I1:$ran);
  let assemblyFormat = [{
    $workers `(` $inputs `)` `flags` $flags attr-dict `:`
    `(` type($inputs) `)` `,` type($flags)
  }];
}

class Task_FlagOp<string mnemonic> : Op<Task_Dialect, mnemonic> {
  let arguments = (ins AnyMemRef:$flags, I64Attr:$worker, I64Attr:$count);
  let assemblyFormat = "$flags `[` $worker `]` $count attr-dict `:` type($flags)";
}

def Task_WaitOp : Task_FlagOp<"wait"> {
  let summary = "Waits until a worker has posted a count or a greater one";
  let description = [{
    Everything that the worker did before it posted the count is then visible.

    ```mlir
    task.wait %flags[1] 3 : memref<32xi32>      // worker 1 has done 3 steps
    ```
  }];
}

def Task_PostOp : Task_FlagOp<"post"> {
  let summary = "Posts how many steps this worker has done";
  let description = [{
    ```mlir
    task.post %flags[0] 3 : memref<32xi32>      // in worker 0
    ```
  }];
}

def Task_ShareOp : Op<Task_Dialect, "share", [NoTerminator, SingleBlock]> {
  let summary = "Executes steps of a range together with other workers";
  let description = [{
    The range is split into equal parts. A worker takes steps from the front of its own part. When
    its part is empty, it takes steps from the back of the other parts, so a faster worker does
    more. Each step is executed once. When the op ends, no steps are left to take, and the steps
    that this worker took are done. The steps of another worker are done when that worker ends its
    op.

    The body runs once for each range [begin, end) of steps that the worker takes.

    - [share.1] 0 <= `part` < `parts` <= `range`, and `least` is at least 1.
    - [share.2] `word` is the element of the first of `parts` words. Each word has two elements, and
      the words follow the flags of the workers.

    ```mlir
    task.share %flags[32] part 0 of 2 range 14 least 1 {
    ^bb0(%begin: index, %end: index):
      func.call @conv_0(%x, %w, %y, %begin, %end) : (...) -> ()
    } : memref<36xi32>
    ```
  }];
  let arguments = (ins AnyMemRef:$flags, I64Attr:$word, I64Attr:$part, I64Attr:$parts,
                       I64Attr:$range,
                       I64Attr:$least); // minimum number of steps to take at once
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $flags `[` $word `]` `part` $part `of` $parts `range` $range `least` $least $body attr-dict
    `:` type($flags)
  }];
  let hasVerifier = 1;
}

def Task_RoundsOp : Op<Task_Dialect, "rounds", [NoTerminator, SingleBlock]> {
  let summary = "Executes rounds of steps together with other workers";
  let description = [{
    Executes `rounds` rounds of `range` steps each. The steps of a round are split evenly among
    `parts` workers. The body runs once in each round, for the steps [begin, end) of this worker;
    steps are numbered across all rounds. A round begins when all workers have finished the
    round before, and sees everything that they wrote in it. All workers of the op must run at the
    same time.

    - [rounds.1] 0 <= `part` < `parts` <= `range`, and `rounds` is at least 1.
    - [rounds.2] `word` is the element of the first of `parts` flags. Each flag has one cache line,
      and the flags follow the flags of the workers.

    ```mlir
    task.rounds %flags[32] part 0 of 2 range 8 rounds 202 {
    ^bb0(%begin: index, %end: index):
      func.call @recurrent_0(%h, %x, %w, %y, %scratch, %begin, %end) : (...) -> ()
    } : memref<64xi32>
    ```
  }];
  let arguments = (ins AnyMemRef:$flags, I64Attr:$word, I64Attr:$part, I64Attr:$parts,
                       I64Attr:$range, // steps of one round
                       I64Attr:$rounds);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $flags `[` $word `]` `part` $part `of` $parts `range` $range `rounds` $rounds $body attr-dict
    `:` type($flags)
  }];
  let extraClassDeclaration = [{
    /// Returns the step of a round that is the first one of a part.
    int64_t getFirstStep(int64_t part) {
      return static_cast<int64_t>(getRange()) * part / static_cast<int64_t>(getParts());
    }
  }];
  let hasVerifier = 1;
}

def Task_OffloadOp : Op<Task_Dialect, "offload", [AttrSizedOperandSegments]> {
  let summary = "Runs a program on the device of the model";
  let description = [{
    `program` is an index into the attribute `task.programs` of the module. The op writes an error
    code other than 0 to `status`.

    ```mlir
    task.offload 0 (%x) to (%y) status %status
        : (memref<64xf32>), (memref<64xf32>), memref<1xi32>
    ```
  }];
  let arguments = (ins I64Attr:$program, Variadic<AnyMemRef>:$inputs,
                       Variadic<AnyMemRef>:$outputs, AnyMemRef:$status);
  let assemblyFormat = [{
    $program `(` $inputs `)` `to` `(` $outputs `)` `status` $status attr-dict `:`
    `(` type($inputs) `)` `,` `(` type($outputs) `)` `,` type($status)
  }];
}

def Task_PowerOp : Op<Task_Dialect, "power"> {
  let summary = "Sets the power state of a worker's core";
  let description = [{
    Marks a point at which the core of a worker may change to another power state of the target.
    Native code ignores the op. In C it is the macro `CONVOY_FV`, which does nothing unless it is
    defined.

    ```mlir
    task.power 1 "LOW"                           // in worker 1
    ```
  }];
  let arguments = (ins I64Attr:$worker, StrAttr:$state);
  let assemblyFormat = "$worker $state attr-dict";
}

def Task_RowViewOp : Op<Task_Dialect, "row_view",
                        [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "Views one row of a tensor in flat memory";
  let description = [{
    `source` is an argument of a lowered kernel that holds `rows` equal rows, one after the other. A
    row contains all columns and all channels. `row` is the logical row, at least 0 and less than
    `rows`. The op reads and writes no memory.

    A kernel that reaches an argument only through this op does not depend on where the rows are.
    Memory planning may then keep fewer rows than the tensor has (a ring), or place the result over
    operand rows that no later step reads. `convoy-memory-lower-row-views` lowers the op when the
    place of each tensor is known.

    - [row_view.1] `source` is flat, has a static size, and its size is a multiple of `rows`, which
      is at least 1.
    - [row_view.2] `view` has the elements of one row, with stride 1 and a dynamic offset.

    ```mlir
    %r = task.row_view %x[%row] rows 48
        : memref<18432xi8> -> memref<384xi8, strided<[1], offset: ?>>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Index:$row, I64Attr:$rows);
  let results = (outs AnyMemRef:$view);
  let assemblyFormat = [{
    $source `[` $row `]` `rows` $rows attr-dict `:` type($source) `->` type($view)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$row, "int64_t":$rows)>];
  let extraClassDeclaration = [{
    /// Returns the type of a view of one of `rows` rows of `source`.
    static ::mlir::MemRefType viewType(::mlir::MemRefType source, int64_t rows);
    int64_t getRowElements() {
      return ::llvm::cast<::mlir::MemRefType>(getView().getType()).getNumElements();
    }
  }];
  let hasVerifier = 1;
}

def Task_FetchRowOp : Op<Task_Dialect, "fetch_row"> {
  let summary = "Fetches one row of an input from the caller";
  let description = [{
    Calls the function that the caller provides for the input `source`. The function writes row
    `row` to `target`. If it fails, the op writes an error code to `status`. The op does nothing if
    `status` is not 0. Only emitted C implements the op.

    - [fetch_row.1] `source` and `target` have one element type.

    ```mlir
    task.fetch_row %x[%row] to %r status %status
        : memref<27648xi8>, memref<288xi8, strided<[1], offset: ?>>, memref<1xi32>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Index:$row, AnyMemRef:$target, AnyMemRef:$status);
  let assemblyFormat = [{
    $source `[` $row `]` `to` $target `status` $status attr-dict `:`
    type($source) `,` type($target) `,` type($status)
  }];
  let hasVerifier = 1;
}

#endif // CONVOY_TASK_TASK_TD
