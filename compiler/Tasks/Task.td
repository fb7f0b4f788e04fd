// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task dialect: kernels as functions, and runs of them.

#ifndef CONVOY_TASKS_TASK_TD
#define CONVOY_TASKS_TASK_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Task_Dialect : Dialect {
  let name = "task";
  let cppNamespace = "::convoy::task";
  let summary = "Macro tasks: what runs, on what, in what order";
  let description = [{
    A kernel is a private function marked `task.kernel`. A task is a run of a
    kernel over its whole outermost range; equal kernels are one function.

    Once memory is planned, a worker is a private function marked `task.worker`:
    the list of what one thread calls, each over its share of the kernel's range.
    Workers meet at flags, one per worker, which only grow: the worker posts how
    many steps it has done, others wait until that is enough.
  }];
}

def Task_RunOp : Op<Task_Dialect, "run", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run a kernel on tensors";
  let description = [{
    - [run.1] `kernel` names a function marked `task.kernel` whose type is that
      of the operands and results, or, once lowered, memory for each and a range.

    ```mlir
    %y = task.run @conv_0(%x, %w) : (tensor<1x8x32x32xf32>, ...) -> tensor<1x16x30x30xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $values)";
}

def Task_ParallelOp : Op<Task_Dialect, "parallel", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run a worker per thread, at once";
  let description = [{
    Sets all flags to 0, runs worker 0 in the calling thread and each other one in
    a thread of its own, and is done when all are. Gives false, without having run
    anything, when there are not as many threads.

    - [parallel.1] `workers` names functions marked `task.worker` that take the
      operands.
    - [parallel.2] `flags` has a line of memory for each worker; behind them lie the
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
  let summary = "Wait until a worker has posted a count, or a greater one";
  let description = [{
    What that worker did before it posted the count is then visible.

    ```mlir
    task.wait %flags[1] 3 : memref<32xi32>      // worker 1 has done 3 steps
    ```
  }];
}

def Task_PostOp : Task_FlagOp<"post"> {
  let summary = "Say how many steps this worker has done";
  let description = [{
    ```mlir
    task.post %flags[0] 3 : memref<32xi32>      // in worker 0
    ```
  }];
}

def Task_ShareOp : Op<Task_Dialect, "share", [NoTerminator, SingleBlock]> {
  let summary = "Do steps of a range together with other workers";
  let description = [{
    The range is cut into equal parts. A worker takes steps from the front of its own
    part, and when none are left from the back of others': whoever is faster does more.
    Each step is done once. When the op is done no step is left to take, and what this
    worker took is done; what others took is when they are through theirs.

    The body runs once for each run of steps, [begin, end), that the worker takes.

    - [share.1] `part` is one of `parts`, and the range has a step for each.
    - [share.2] `word` and as many words as there are parts, of two elements each, lie
      behind the workers' flags.

    ```mlir
    task.share %flags[32] part 0 of 2 range 14 least 1 {
    ^bb0(%begin: index, %end: index):
      func.call @conv_0(%x, %w, %y, %begin, %end) : (...) -> ()
    } : memref<36xi32>
    ```
  }];
  let arguments = (ins AnyMemRef:$flags, I64Attr:$word, I64Attr:$part, I64Attr:$parts,
                       I64Attr:$range,
                       I64Attr:$least); // steps to take at once, unless fewer are left
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $flags `[` $word `]` `part` $part `of` $parts `range` $range `least` $least $body attr-dict
    `:` type($flags)
  }];
  let hasVerifier = 1;
}

def Task_OffloadOp : Op<Task_Dialect, "offload", [AttrSizedOperandSegments]> {
  let summary = "Run a program on the device that the model was given";
  let description = [{
    `program` counts the programs of the module, which its attribute `task.programs`
    lists. A code other than 0 goes to `status`.

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
  let summary = "Set the speed of a worker's core";
  let description = [{
    A point at which the core of a worker may go to another of the target's power
    states. Native code leaves it out; in C it is the macro `CONVOY_FV`, which does
    nothing unless it is defined.

    ```mlir
    task.power 1 "LOW"                           // in worker 1
    ```
  }];
  let arguments = (ins I64Attr:$worker, StrAttr:$state);
  let assemblyFormat = "$worker $state attr-dict";
}

#endif // CONVOY_TASKS_TASK_TD
