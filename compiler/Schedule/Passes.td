// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the schedule stage: plan workers and check the contract.

#ifndef CONVOY_SCHEDULE_PASSES_TD
#define CONVOY_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanWorkersPass : Pass<"convoy-schedule-plan-workers", "mlir::ModuleOp"> {
  let summary = "Turns @main into a parallel region with a list of calls and waits per thread";
  let description = [{
    Takes: @main in planned memory and lowered kernels. Gives: a function marked `task.worker` per
    thread, with its pieces of the kernels' ranges in program order; `task.wait` before a piece that
    depends on other workers, through a tensor or through reused memory; `task.post` after a piece
    for which other workers wait. Redundant waits are omitted. Several workers execute a kernel as a
    `task.share`, or as a `task.rounds` if its steps depend on earlier rounds. Any worker may
    execute kernels inside a branch; it evaluates the condition first, and waits for the needs of a
    side only if the side is taken. Several workers execute a loop as a loop in each of them, which
    has the attribute `task.team`; they meet after each iteration. The pass runs the check of the
    stage on the schedule of a model with branches or loops, with knowledge for at most `most-sides`
    sets of sides. If the check does not accept the schedule, the pass plans for one thread. @main
    runs the workers in parallel, or executes everything itself if the threads are not available.
    The flags follow the arena, which grows by one cache line per flag. With one thread and without
    bands, the pass changes nothing.

    The pass chooses the shortest of several schedules by estimated cost: list schedulers, with
    groups of workers in parallel or all workers for each kernel, and a search that starts from the
    best of them. The schedule in program order is kept unless another one is shorter.
    `task.scheduler` names the chosen one.

    With a deadline, the pass chooses the schedule with the least energy that meets the deadline,
    with at most `threads` cores. It inserts a `task.power` where the next piece of a worker needs
    another power state. `task.power_plan` holds the predicted time and energy.

    The pass tries runs with `bands` both unsplit and split into bands of rows. One worker
    executes the tasks of a band consecutively, while the data between them is in its cache. A band
    waits only for the bands of other workers whose rows it reads. With one thread, the pass
    reorders @main by bands. Does not do: choose the layers of a group (`convoy-bands-plan-bands`
    does).

    scf.for %i = %c3 to %c28 step %c14 {                             // rows 3 and 4 of 14 rows, for
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
  let options = [Option<"threads", "threads", "int64_t", "1", "Number of threads of the parallel region">,
                 Option<"grainNs", "grain-ns", "int64_t", "2000",
                        "Minimum work of a piece, in estimated nanoseconds">,
                 Option<"scheduler", "scheduler", "::convoy::schedule::Scheduler",
                        "::convoy::schedule::Scheduler::Best",
                        "Scheduler to use: best, program-order, cp/dt/misf, "
                        "cp/etf/misf, etf/cp or dt/cp",
                        [{::llvm::cl::values(
                          clEnumValN(Scheduler::Best, nameOf(Scheduler::Best), "The shortest schedule"),
                          clEnumValN(Scheduler::ProgramOrder, nameOf(Scheduler::ProgramOrder), "Program order"),
                          clEnumValN(Scheduler::CpDtMisf, nameOf(Scheduler::CpDtMisf), "List scheduler"),
                          clEnumValN(Scheduler::CpEtfMisf, nameOf(Scheduler::CpEtfMisf), "List scheduler"),
                          clEnumValN(Scheduler::EtfCp, nameOf(Scheduler::EtfCp), "List scheduler"),
                          clEnumValN(Scheduler::DtCp, nameOf(Scheduler::DtCp), "List scheduler"))}]>,
                 Option<"localise", "localise", "::convoy::bands::Localise",
                        "::convoy::bands::Localise::On",
                        "Run layers in bands: off, on where bands are estimated to be faster, or always",
                        [{::llvm::cl::values(
                          clEnumValN(::convoy::bands::Localise::Off, "off", "Never"),
                          clEnumValN(::convoy::bands::Localise::On, "on", "Where bands are faster"),
                          clEnumValN(::convoy::bands::Localise::Always, "always", "Always"))}]>,
                 Option<"report", "report", "std::string", "\"\"",
                        "HTML file to which the schedule report is written">,
                 Option<"deadlineNs", "deadline-ns", "int64_t", "0",
                        "Minimize energy within this time; 0: minimize time">,
                 Option<"mostSides", "most-sides", "int64_t", "::convoy::schedule::kMostSides",
                        "Maximum number of sets of branch sides for which the check of a schedule "
                        "with branches stores what a worker knows">,
                 ListOption<"powerStates", "power-states", "std::string",
                            "Power states of a core as name:MHz:active mW:idle mW, fastest first">,
                 ListOption<"kernelTimes", "kernel-times", "std::string",
                            "Measured times as kernel:ns; all other kernels are estimated">];
  let statistics = [Statistic<"workCount", "works", "Calls, copies and loops of @main">,
                    Statistic<"pieceCount", "pieces", "Pieces into which the works were split">,
                    Statistic<"waitCount", "waits", "Waits of workers for other workers">,
                    Statistic<"serialNs", "serial-ns", "Estimated time on one thread">,
                    Statistic<"plainNs", "plain-ns", "Predicted time of the schedule in program order">,
                    Statistic<"predictedNs", "predicted-ns", "Predicted time of the chosen schedule">];
}

def CheckScheduleContractPass : Pass<"convoy-schedule-check-contract", "mlir::ModuleOp"> {
  let summary = "Checks that waits order all conflicting accesses of workers and no worker waits forever";
  let description = [{
    Takes: a module with or without workers. Gives: the same module, or an error where a clause of
    Contract.cpp is broken. The pass simulates the lists of all workers and tracks what each worker
    knows of the others. Does not do: change the IR.

    call @conv_1(%y, %v, %z, %c0, %c16)     // error in worker 0 if worker 1 writes a part of %y
                                            // and no wait orders the two
  }];
}

#endif // CONVOY_SCHEDULE_PASSES_TD
