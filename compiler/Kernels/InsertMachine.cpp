// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-kernels-insert-machine: sets the attribute `kernel.machine` of the module.

#include "Graph/Graph.h"
#include "Kernels/Passes.h"

namespace convoy::kernels {
#define GEN_PASS_DEF_INSERTMACHINEPASS
#include "Kernels/Passes.h.inc"

namespace {

bool multipliesBytes(mlir::Operation *scope) {
  auto found = scope->walk([](mlir::Operation *op) {
    bool isOne = mlir::isa<graph::IntegerConvOp, graph::IntegerMatMulOp>(op);
    return isOne ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return found.wasInterrupted();
}

struct InsertMachine : impl::InsertMachinePassBase<InsertMachine> {
  using InsertMachinePassBase::InsertMachinePassBase;

  void runOnOperation() override {
    Machine machine;
    machine.vectorBytes = vectorBytes;
    machine.vectorRegisters = vectorRegisters;
    machine.fmaPorts = fmaPorts;
    machine.hasScalarOperands = hasScalarOperands;
    machine.firstCacheBytes = firstCacheBytes;
    machine.secondCacheBytes = secondCacheBytes;
    machine.dot = dot;
    machine.hasTiles = hasTiles;
    machine.hasByteOps = hasByteOps;
    machine.hasPairProducts = hasPairProducts;
    setMachine(getOperation(), machineFor(getOperation(), machine));
  }
};
} // namespace

Machine machineFor(mlir::Operation *scope, const Machine &machine) {
  return isOfArm(machine.dot) && multipliesBytes(scope) ? machine.inFours() : machine;
}

std::unique_ptr<mlir::Pass> createInsertMachinePass(const Machine &machine) {
  InsertMachinePassOptions options;
  options.vectorBytes = machine.vectorBytes;
  options.vectorRegisters = machine.vectorRegisters;
  options.fmaPorts = machine.fmaPorts;
  options.hasScalarOperands = machine.hasScalarOperands;
  options.firstCacheBytes = machine.firstCacheBytes;
  options.secondCacheBytes = machine.secondCacheBytes;
  options.dot = machine.dot;
  options.hasTiles = machine.hasTiles;
  options.hasByteOps = machine.hasByteOps;
  options.hasPairProducts = machine.hasPairProducts;
  return createInsertMachinePass(options);
}

} // namespace convoy::kernels
