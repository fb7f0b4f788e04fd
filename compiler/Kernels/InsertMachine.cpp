// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-insert-machine: sets the attribute `kernel.machine` of the module. The
// options of the pass are the textual form of a Machine, for lit tests and reproducers.

#include "Kernels/Passes.h"

namespace convoy::kernels {
#define GEN_PASS_DEF_INSERTMACHINEPASS
#include "Kernels/Passes.h.inc"

namespace {

struct InsertMachine : impl::InsertMachinePassBase<InsertMachine> {
  using InsertMachinePassBase::InsertMachinePassBase;

  void runOnOperation() override {
    Machine machine;
    copyProperties(*this, machine);
    setMachine(getOperation(), machine);
  }

  /// Copies a machine from or to options, which have the names of its members.
  template <typename From, typename To>
  static void copyProperties(const From &from, To &to) {
    to.vectorBytes = from.vectorBytes;
    to.vectorRegisters = from.vectorRegisters;
    to.fmaPorts = from.fmaPorts;
    to.hasScalarOperands = from.hasScalarOperands;
    to.firstCacheBytes = from.firstCacheBytes;
    to.secondCacheBytes = from.secondCacheBytes;
    to.dot = from.dot;
    to.hasTiles = from.hasTiles;
    to.hasByteOps = from.hasByteOps;
    to.hasPairProducts = from.hasPairProducts;
  }
};
} // namespace

std::unique_ptr<mlir::Pass> createInsertMachinePass(const Machine &machine) {
  InsertMachinePassOptions options;
  InsertMachine::copyProperties(machine, options);
  return createInsertMachinePass(options);
}

} // namespace convoy::kernels
