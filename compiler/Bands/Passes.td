// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the bands stage: plan bands and check the contract.

#ifndef CONVOY_BANDS_PASSES_TD
#define CONVOY_BANDS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanBandsPass : Pass<"convoy-bands-plan-bands", "mlir::ModuleOp"> {
  let summary = "Splits consecutive layers into the same bands of rows, so that data stays in a core's cache";
  let description = [{
    Takes: @main on tensors and lowered kernels. `rows` of a kernel states how its range covers
    rows and which operand rows each result row reads. Gives: `bands` on consecutive runs that
    are faster band by band: the number of their group and, for each band, the chunks of the
    kernel's rows that are done after it. In each band, a layer computes all rows whose inputs are
    complete, so a band needs only earlier bands and no row is computed twice. The number of bands
    is the smallest multiple of the threads with which a band fits in the cache. Memory does not
    reuse memory between the tensors of a group, and `convoy-schedule-plan-workers` compares bands with
    unsplit runs. Does not do: move or split ops.

    %1 = task.run @conv_0(%x, %w) : ...     // before: 3 x 3 on 28 rows
    %2 = task.run @conv_1(%1, %v) : ...     // 3 x 3 on the result

    %1 = task.run @conv_0(%x, %w) {bands = #task.bands<group = 0, ends = [14, 28], ...>}
    %2 = task.run @conv_1(%1, %v) {bands = #task.bands<group = 0, ends = [13, 28], ...>}
  }];
  let options = [Option<"cacheBytes", "cache-bytes", "int64_t", "0",
                        "Bytes of the cache or local memory of one core; 0: plan no bands">,
                 Option<"threads", "threads", "int64_t", "1", "Number of threads to plan for">,
                 Option<"takesAll", "takes-all", "bool", "false",
                        "Group layers even if no gain is estimated">];
  let statistics = [Statistic<"groupCount", "groups", "Groups of layers that were split">];
}

def CheckBandsContractPass : Pass<"convoy-bands-check-contract", "mlir::ModuleOp"> {
  let summary = "Checks that the bands of every run cover the rows of its kernel";
  let description = [{
    Takes: a module after `convoy-bands-plan-bands`. Gives: the same module, or an error at each run
    whose bands break a clause of Contract.cpp. Does not do: change the IR.

    %1 = task.run @conv_0(%x, %w) {bands = #task.bands<ends = [14, 20], ...>}   // error: 28 chunks
    %1 = task.run @conv_0(%x, %w) {bands = #task.bands<ends = [14, 28], ...>}   // accepted
  }];
}

#endif // CONVOY_BANDS_PASSES_TD
