// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the machine to and from the module attribute `kernel.machine`.

#include "Kernels/Machine.h"
#include "Graph/Graph.h"
#include "Kernels/Attributes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

bool multipliesBytes(Operation *scope) {
  auto found = scope->walk([](Operation *op) {
    bool isOne = isa<graph::IntegerConvOp, graph::IntegerMatMulOp>(op);
    return isOne ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

} // namespace

Machine machineFor(Operation *scope, const Machine &machine) {
  return isOfArm(machine.dot) && multipliesBytes(scope) ? machine.inFours() : machine;
}

void setMachine(ModuleOp module, const Machine &given) {
  Machine machine = machineFor(module, given);
  module->setAttr(kMachineAttr,
                  MachineAttr::get(module.getContext(), machine.vectorBytes,
                                   machine.vectorRegisters, machine.fmaPorts,
                                   machine.hasScalarOperands, machine.firstCacheBytes,
                                   machine.secondCacheBytes, machine.dot, machine.hasTiles,
                                   machine.hasByteOps, machine.hasPairProducts));
}

Machine machineOf(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto attribute = module ? module->getAttrOfType<MachineAttr>(kMachineAttr) : MachineAttr();
  Machine machine;
  if (attribute) {
    machine.vectorBytes = attribute.getVectorBytes();
    machine.vectorRegisters = attribute.getVectorRegisters();
    machine.fmaPorts = attribute.getFmaPorts();
    machine.hasScalarOperands = attribute.getHasScalarOperands();
    machine.firstCacheBytes = attribute.getFirstCacheBytes();
    machine.secondCacheBytes = attribute.getSecondCacheBytes();
    machine.dot = attribute.getDot();
    machine.hasTiles = attribute.getHasTiles();
    machine.hasByteOps = attribute.getHasByteOps();
    machine.hasPairProducts = attribute.getHasPairProducts();
  }
  return machine;
}

} // namespace convoy::kernels
