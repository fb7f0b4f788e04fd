// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the tasks stage.

#ifndef CONVOY_TASKS_PASSES_TD
#define CONVOY_TASKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitKernelsPass : Pass<"convoy-tasks-split-kernels", "mlir::ModuleOp"> {
  let summary = "Each graph.kernel is a task.run of a function; equal kernels share one";
  let description = [{
    Takes: `graph.kernel` regions. Gives: private functions marked `task.kernel`
    with the region's ops, and `task.run` in place of each region. Kernels that
    differ only in their operands and node names become one function. The
    function keeps the location of the first. One task per kernel: its range is
    cut among cores by `convoy-tasks-plan-workers`, once memory is planned.

    %y = graph.kernel %x { ^bb0(%a: ...): ... graph.yield %1 }        // before

    %y = task.run @unary_0(%x) : ...                                  // after
    func.func private @unary_0(%a: ...) -> ... attributes {task.kernel}
  }];
  let dependentDialects = ["convoy::task::TaskDialect"];
  let statistics = [Statistic<"sharedKernels", "shared-kernels", "Runs of a kernel beyond its first">];
}

def PlanBandsPass : Pass<"convoy-tasks-plan-bands", "mlir::ModuleOp"> {
  let summary = "Layers whose rows can pass through a core's cache are cut into the same bands";
  let description = [{
    Takes: @main on tensors and lowered kernels, which say by `task.rows` how their
    range runs over rows and which rows of operands a row of the result is made of.
    Gives: `task.bands` on runs that follow each other and are better done band by
    band: a group, and for each band the chunks of the kernel's rows that are done
    after it. A band of a layer is as many rows as can be made of what the band has
    of the layers before, so a band needs those before it and no row is computed
    twice. There are as few bands as fit into the cache, a number for each thread.

    Does not move anything. Memory keeps the tensors of a group apart;
    `convoy-tasks-plan-workers` tries the bands against whole runs.

    %1 = task.run @conv_0(%x, %w) : ...     // 3 x 3 on 28 rows        before
    %2 = task.run @conv_1(%1, %v) : ...     // 3 x 3 on those

    %1 = task.run @conv_0(%x, %w) {task.bands = {group = 0, ends = array<i64: 14, 28>, ...}}
    %2 = task.run @conv_1(%1, %v) {task.bands = {group = 0, ends = array<i64: 13, 28>, ...}}
  }];
  let options = [Option<"cacheBytes", "cache-bytes", "int64_t", "0",
                        "Cache or local memory of one core; 0: plan nothing">,
                 Option<"threads", "threads", "int64_t", "1", "Threads to plan for">,
                 Option<"takesAll", "takes-all", "bool", "false",
                        "Group layers even where nothing is thought to be saved">];
  let statistics = [Statistic<"groupCount", "groups", "Groups of layers that were cut">];
}

def PlanWorkersPass : Pass<"convoy-tasks-plan-workers", "mlir::ModuleOp"> {
  let summary = "@main is one parallel region: a list of calls and waits per thread";
  let description = [{
    Takes: @main in planned memory and lowered kernels. Gives: a function marked
    `task.worker` per thread with its pieces of the kernels' ranges, in program
    order; `task.wait` before a piece that needs what other workers do, be it a
    tensor or bytes that are to be used again; `task.post` after a piece that
    others wait for. Waits that follow from others are left out. Loops are done
    by worker 0; kernels inside a branch by anyone, who looks at its condition
    first. @main runs the workers at once, or does
    everything itself when there are no threads. Flags stand behind the arena,
    which grows by a line for each. With one thread nothing changes.

    Who does what is the shortest of several schedules, by estimated costs: list
    schedulers, with workers in groups side by side or all at each kernel, and a
    search from the best of them. The plain one in program order is kept unless
    another is shorter; `task.scheduler` names the one that was taken.

    With a deadline it is the schedule with least energy that meets it: no more cores
    than threads, and a `task.power` wherever a worker's next piece is planned for
    another state. `task.power_plan` says what is promised.

    Runs with `task.bands` are tried whole and cut into bands of rows. The tasks of a
    band are then for one worker, one after the other, while what they pass on is in
    its cache; a band waits for the bands of other workers that it reads rows of, and
    for no others. With one thread too: @main is then put in the order of bands.

    scf.for %i = %c3 to %c28 step %c14 {                             // rows 3, 4 of 14 in
      %end = arith.addi %i, %c2                                      // two panels of channels
      call @conv_0(%x, %w, %y, %i, %end)
    }

    func.func @main(...) -> i32 {                                   // before
      call @conv_0(%x, %w, %y, %c0, %c64)
      call @conv_1(%y, %v, %z, %c0, %c32)

    func.func private @worker_0(...) attributes {task.worker} {      // after
      task.post %flags[0] 1
      call @conv_0(%x, %w, %y, %c0, %c32)
      task.post %flags[0] 2
      task.wait %flags[1] 1
      call @conv_1(%y, %v, %z, %c0, %c16)
  }];
  let dependentDialects = ["convoy::task::TaskDialect", "mlir::arith::ArithDialect",
                           "mlir::func::FuncDialect", "mlir::memref::MemRefDialect",
                           "mlir::scf::SCFDialect"];
  let options = [Option<"threads", "threads", "int64_t", "1", "Threads of the region">,
                 Option<"grainNs", "grain-ns", "int64_t", "2000",
                        "Least work of a piece, in estimated nanoseconds">,
                 Option<"scheduler", "scheduler", "std::string", "\"best\"",
                        "Take the best schedule, or that of program-order, cp/dt/misf, "
                        "cp/etf/misf, etf/cp or dt/cp">,
                 Option<"localise", "localise", "std::string", "\"on\"",
                        "Bands: off, on where they are thought to be shorter, or always">,
                 Option<"report", "report", "std::string", "\"\"",
                        "File to draw the schedule in, as a page for a browser">,
                 Option<"deadlineNs", "deadline-ns", "int64_t", "0",
                        "Take least energy within this time; 0: as fast as can be">,
                 ListOption<"powerStates", "power-states", "std::string",
                            "Name:MHz:mW active:mW idle of what cores can be in, fastest first">,
                 ListOption<"kernelTimes", "kernel-times", "std::string",
                            "Kernel:ns, measured; other kernels are estimated">];
  let statistics = [Statistic<"workCount", "works", "Calls, copies and loops of @main">,
                    Statistic<"pieceCount", "pieces", "Pieces they were cut into">,
                    Statistic<"waitCount", "waits", "Waits of workers for each other">,
                    Statistic<"serialNs", "serial-ns", "Estimated time of one thread">,
                    Statistic<"plainNs", "plain-ns", "Predicted time of the plain schedule">,
                    Statistic<"predictedNs", "predicted-ns", "Predicted time of the one taken">];
}

def CheckTasksContractPass : Pass<"convoy-tasks-check-contract", "mlir::ModuleOp"> {
  let summary = "No graph.kernel is left";
  let description = [{
    Takes: a module after tasks are split. Gives: the same, or an error at each
    kernel region that is no function yet. Changes nothing.

    %y = graph.kernel %x { ... }                                    // is refused
    %y = task.run @unary_0(%x)                                      // passes
  }];
}

def CheckScheduleContractPass : Pass<"convoy-tasks-check-schedule-contract", "mlir::ModuleOp"> {
  let summary = "Workers meet before they touch the same bytes, and none waits for ever";
  let description = [{
    Takes: a module with workers, or without. Gives: the same, or an error where a
    clause is broken; Contract.cpp states them. Runs the lists on paper with what
    each worker knows of the others. Changes nothing.

    call @conv_1(%y, %v, %z, %c0, %c16)     // is refused in worker 0 while worker 1
                                            // writes a part of %y: no wait in between
  }];
}

#endif // CONVOY_TASKS_PASSES_TD
