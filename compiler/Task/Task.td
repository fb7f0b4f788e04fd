// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task dialect: kernels, their runs and calls, and parallel workers. Outline, Kernels, Bands,
// Memory, Schedule and Codegen share the dialect.

#ifndef CONVOY_TASK_TASK_TD
#define CONVOY_TASK_TASK_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Task_Dialect : Dialect {
  let name = "task";
  let cppNamespace = "::convoy::task";
  let summary = "Runs of kernels and their parallel execution";
  let description = [{
    A kernel is a `task.kernel` op. A task is a run of a kernel over its whole outermost range; equal
    kernels share an op. Memory planning replaces runs by calls on memory. A worker is a private
    function marked `task.worker`: the list of calls of one thread, each over a part of the kernel's
    range. Workers synchronize through flags, one per worker, which only increase: each worker posts
    the number of steps it has done, and other workers wait until the number is large enough.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

def Task_Count : ConfinedAttr<TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">,
                              [IntNonNegative]>;
def Task_PositiveCount
    : ConfinedAttr<TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">, [IntPositive]>;

class Task_Attr<string name, string attrMnemonic> : AttrDef<Task_Dialect, name> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
}

def Task_RowStepsAttr : Task_Attr<"RowSteps", "row_steps"> {
  let summary = "How the range of a lowered kernel covers the rows of its result";
  let description = [{
    The range has `outer` x chunks x `inner` steps; the last varies fastest. `ends` has an entry for
    each chunk: the number of result rows that are done after this chunk, or -1 if the chunk does
    not end at a row. `reads` has an entry for each operand: size, stride and padding before of the
    window of rows that a result row reads, or an empty array if the row may read any part.
    `Task/RowSteps.h` computes with it.

    ```mlir
    #task.row_steps<outer = 1, inner = 1, ends = [8, 16], reads = [array<i64: 3, 1, 1>]>
    ```
  }];
  let parameters = (ins "int64_t":$outer, "int64_t":$inner, "::mlir::DenseI64ArrayAttr":$ends,
                        "::mlir::ArrayAttr":$reads);
  let genVerifyDecl = 1;
}

def Task_BandsAttr : Task_Attr<"Bands", "bands"> {
  let summary = "The bands of rows into which a run or a call is split";
  let description = [{
    Consecutive runs with the same `group` are split into the same bands. `ends` has an entry for
    each band: the chunks of the kernel's rows that are done after the band. `savedNs` estimates the
    nanoseconds that the bands save for this run.
  }];
  let parameters = (ins "int64_t":$group, "::mlir::DenseI64ArrayAttr":$ends,
                        "::mlir::FloatAttr":$savedNs);
}

def Task_PaceAttr : Task_Attr<"Pace", "pace"> {
  let summary = "When a call of a group that runs row by row computes its rows";
  let description = [{
    The call computes row i in round `stride` * i + `lag` of the loop of its `group`. A descending
    group counts rows from the last row.
  }];
  let parameters = (ins "int64_t":$group, "int64_t":$stride, "int64_t":$lag, "bool":$descending);
  let genVerifyDecl = 1;
}

def Task_Access : I32EnumAttr<"Access", "How a kernel accesses an argument", [
    I32EnumAttrCase<"Read", 0, "read">,
    I32EnumAttrCase<"Write", 1, "write">,
    I32EnumAttrCase<"ReadWrite", 2, "read_write">]> {
  let cppNamespace = "::convoy::task";
  let genSpecializedAttr = 0;
}

def Task_AccessAttr : EnumAttr<Task_Dialect, Task_Access, "access"> {
  let assemblyFormat = "`<` $value `>`";
}

def Task_Location : Attr<CPred<"::llvm::isa<::mlir::LocationAttr>($_self)">, "location"> {
  let storageType = "::mlir::LocationAttr";
  let returnType = "::mlir::LocationAttr";
  let convertFromStorage = "$_self";
}

def Task_KernelOp : Op<Task_Dialect, "kernel", [
    AffineScope, AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "A kernel: a loop nest over a range of steps";
  let description = [{
    Outline creates the op on tensors, with the graph ops of the kernel as its body. The kernels
    stage replaces it by a lowered kernel, which has a `range`:

        f(operand memory..., result memory..., [status,] [scratch,] sizes..., begin, end)

    A lowered kernel executes the steps [begin, end) of its range. A size is an index that a call
    passes at run time, for example the rows of a ring.

    | attribute | content |
    |---|---|
    | `config` | configuration of the template; absent for the generic loops |
    | `range` | upper bound on the steps of the outermost loop; absent before lowering |
    | `rounds` | number of equal rounds of the range. A step may read what any step of an earlier round wrote, so a round begins when the round before has ended. The workers of a run share its scratch memory. |
    | `joint` | number of consecutive steps that share a setup. If a range is split between them, the setup runs again. |
    | `rows` | how the range covers the rows of the result; absent if it cannot be split along rows |
    | `access` | access of each memory argument; absent: each one may be read and written |
    | `tensors` | type of the kernel on tensors |
    | `nodes` | locations of all nodes that the kernel computes |
    | `scratch` | bytes of the scratch memory, whose argument is before the sizes |
    | `may_fail` | the kernel has the status cell of the run as an argument |
    | `in_place` | arguments that may share memory: operands whose elements the kernel reads before it writes the result at the same offset, and last the result |
    | `overlaps` | arguments that share bytes with other arguments in some call. The kernel overwrites only rows that no later step reads. |

    - [kernel.1] A kernel without `range` has no attribute of lowered kernels.
    - [kernel.2] A lowered kernel has no results. Its arguments are memory, then at least two indices.
    - [kernel.3] `access` has an entry for each memory argument.
    - [kernel.4] The entries of `in_place` and `overlaps` are numbers of memory arguments.

    ```mlir
    task.kernel @conv_0(%x: tensor<1x8x32x32xf32>, ...) -> tensor<1x16x30x30xf32>        // Outline
        attributes {config = #kernel.conv_direct<...>} {
      %0 = graph.conv %x, %w ...
      task.return %0 : tensor<1x16x30x30xf32>
    }

    task.kernel @conv_0(%x: memref<8192xf32>, %w: memref<1152xf32>, %y: memref<14400xf32>, // Kernels
                        %begin: index, %end: index)
        attributes {config = #kernel.conv_direct<...>, range = 8 : i64, access = [...]} {
      scf.for %i = %begin to %end step %c1 { ... }
      task.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs, OptionalAttr<AnyAttr>:$config,
                       OptionalAttr<Task_Count>:$range, OptionalAttr<Task_PositiveCount>:$rounds,
                       OptionalAttr<Task_PositiveCount>:$joint,
                       OptionalAttr<Task_RowStepsAttr>:$rows,
                       OptionalAttr<TypedArrayAttrBase<Task_AccessAttr, "array of accesses">>:$access,
                       OptionalAttr<TypeAttrOf<FunctionType>>:$tensors,
                       OptionalAttr<Task_Location>:$nodes,
                       OptionalAttr<Task_PositiveCount>:$scratch, UnitAttr:$may_fail,
                       OptionalAttr<DenseI64ArrayAttr>:$in_place,
                       OptionalAttr<DenseI64ArrayAttr>:$overlaps);
  let regions = (region AnyRegion:$body);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = [{
    bool isLowered() { return getRangeAttr() != nullptr; }
    /// Returns the number of arguments that are memory. They precede the sizes and the range.
    unsigned getNumMemories();
    /// Returns whether the kernel may write argument `i`, which is memory.
    bool mayWrite(unsigned i);
    /// Return whether argument `i` is in `in_place` or in `overlaps`.
    bool isInPlace(unsigned i);
    bool isOverlapping(unsigned i);
    /// Returns the number of the scratch argument; nullopt without scratch memory.
    std::optional<unsigned> getScratchArgument();
    ::mlir::BlockArgument getBegin() { return getArgument(getNumArguments() - 2); }
    ::mlir::BlockArgument getEnd() { return getArgument(getNumArguments() - 1); }

    // FunctionOpInterface.
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::llvm::LogicalResult verifyType();

    // SymbolOpInterface: only this module calls a kernel.
    bool isDeclaration() { return isExternal(); }
    ::mlir::SymbolTable::Visibility getVisibility() {
      return ::mlir::SymbolTable::Visibility::Private;
    }
    bool isPublic() { return false; }
    bool isPrivate() { return true; }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Task_ReturnOp : Op<Task_Dialect, "return",
                       [Pure, HasParent<"KernelOp">, ReturnLike, Terminator]> {
  let summary = "Ends a kernel";
  let description = [{
    - [return.1] The operands have the types of the kernel's results. A lowered kernel has none.

    ```mlir
    task.return %0 : tensor<1x16x30x30xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{}]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

def Task_RunOp : Op<Task_Dialect, "run", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel on tensors";
  let description = [{
    Consecutive runs with the same `row_group` run row by row, so that memory need not hold whole
    tensors between them. A descending run starts with the last row, so that its result lies behind
    its operand instead of before it.

    - [run.1] `kernel` names a `task.kernel` whose type has the types of the operands and results or,
      after lowering, memory for each of them and a range.

    ```mlir
    %y = task.run @conv_0(%x, %w) : (tensor<1x8x32x32xf32>, ...) -> tensor<1x16x30x30xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs,
                       OptionalAttr<Task_BandsAttr>:$bands, OptionalAttr<Task_Count>:$row_group,
                       UnitAttr:$descending);
  let results = (outs Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$values, "::mlir::FlatSymbolRefAttr":$kernel,
                                 "::mlir::ValueRange":$inputs)>];
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $values)";
}

def Task_CallOp : Op<Task_Dialect, "call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                                            DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Executes steps of a lowered kernel on memory";
  let description = [{
    The last two operands are the steps [begin, end). The memory effects are those of the kernel.

    | attribute | content |
    |---|---|
    | `bands` | bands of rows of the run that the call replaces |
    | `pace` | when the call computes its rows, if its group runs row by row |
    | `rings` | by argument, the rows of the ring that holds the tensor, or 0 if the memory holds the whole tensor. A row of the tensor is at its remainder modulo the rows of the ring. |

    - [call.1] `kernel` names a lowered `task.kernel` whose arguments have the types of the operands.

    ```mlir
    task.call @conv_0(%x, %w, %y, %c0, %c8)
        : memref<8192xf32>, memref<1152xf32>, memref<14400xf32>, index, index
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$arguments,
                       OptionalAttr<Task_BandsAttr>:$bands, OptionalAttr<Task_PaceAttr>:$pace,
                       OptionalAttr<DenseI64ArrayAttr>:$rings);
  let builders = [OpBuilder<(ins "KernelOp":$kernel, "::mlir::ValueRange":$arguments)>];
  let extraClassDeclaration = [{
    /// Returns the kernel; null if there is none.
    KernelOp lookupKernel();
    ::mlir::Value getBegin() { return getOperand(getNumOperands() - 2); }
    ::mlir::Value getEnd() { return getOperand(getNumOperands() - 1); }
    void setSteps(::mlir::Value begin, ::mlir::Value end) {
      setOperand(getNumOperands() - 2, begin);
      setOperand(getNumOperands() - 1, end);
    }
    /// Returns the rows of the ring that holds argument `i`, or 0 if it is a whole tensor.
    int64_t getRing(unsigned i) {
      ::std::optional<::llvm::ArrayRef<int64_t>> rings = getRings();
      return rings && i < rings->size() ? (*rings)[i] : 0;
    }
  }];
  let assemblyFormat = "$kernel `(` $arguments `)` attr-dict (`:` type($arguments)^)?";
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
      task.call @conv_0(%x, %w, %y, %begin, %end) : ...
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
      task.call @recurrent_0(%h, %x, %w, %y, %scratch, %begin, %end) : ...
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
  let arguments = (ins I64Attr:$program, Arg<Variadic<AnyMemRef>, "", [MemRead]>:$inputs,
                       Arg<Variadic<AnyMemRef>, "", [MemWrite]>:$outputs,
                       Arg<AnyMemRef, "", [MemWrite]>:$status);
  let assemblyFormat = [{
    $program `(` $inputs `)` `to` `(` $outputs `)` `status` $status attr-dict `:`
    `(` type($inputs) `)` `,` `(` type($outputs) `)` `,` type($status)
  }];
}

def Task_PowerOp : Op<Task_Dialect, "power"> {
  let summary = "Sets the power state of a worker's core";
  let description = [{
    Marks a point at which the core of a worker may change to another power state of the target.
    In C it is the macro `CONVOY_FV`, which does nothing unless it is defined. Native code calls
    `convoy_set_power_state` if the program defines it (`convoy/power.h`).

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
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Index:$row,
                       Arg<AnyMemRef, "", [MemWrite]>:$target,
                       Arg<AnyMemRef, "", [MemRead, MemWrite]>:$status);
  let assemblyFormat = [{
    $source `[` $row `]` `to` $target `status` $status attr-dict `:`
    type($source) `,` type($target) `,` type($status)
  }];
  let hasVerifier = 1;
}

#endif // CONVOY_TASK_TASK_TD
