// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration and verification of the task dialect.

#include "Tasks/Task.h"
#include "mlir/IR/DialectImplementation.h"

#include "Tasks/TaskDialect.cpp.inc"
#define GET_OP_CLASSES
#include "Tasks/Task.cpp.inc"

using namespace mlir;

namespace convoy::task {

void TaskDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Tasks/Task.cpp.inc"
      >();
}

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &symbols) { // [run.1]
  auto kernel = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  if (!kernel || !isKernel(kernel)) {
    return emitOpError("expects a kernel, found none named ") << getKernelAttr();
  }
  FunctionType type = kernel.getFunctionType();
  if (kernel->hasAttr(kRangeAttr)) {
    // Lowered: memory for each operand and result, scratch if any, then the range.
    unsigned scratch = kernel->hasAttr(kScratchAttr) ? 1 : 0;
    unsigned expected = getInputs().size() + getNumResults() + scratch + 2;
    return type.getNumInputs() == expected
               ? success()
               : emitOpError("expects a kernel of ") << expected << " arguments, found " << type;
  }
  if (TypeRange(type.getInputs()) != TypeRange(getInputs().getTypes()) ||
      TypeRange(type.getResults()) != TypeRange(getResultTypes())) {
    return emitOpError("expects operands and results of the kernel's type ") << type;
  }
  return success();
}

LogicalResult ParallelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto flags = cast<MemRefType>(getFlags().getType()); // [parallel.2]
  int64_t expected = static_cast<int64_t>(getWorkers().size()) * kFlagElems;
  if (!flags.getElementType().isInteger(32) || flags.getShape() != ArrayRef(expected)) {
    return emitOpError("expects flags of type memref<") << expected << "xi32>, found " << flags;
  }
  for (Attribute name : getWorkers()) { // [parallel.1]
    auto worker = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, cast<SymbolRefAttr>(name));
    if (!worker || !worker->hasAttr(kWorkerAttr)) {
      return emitOpError("expects a worker, found none named ") << name;
    }
    if (TypeRange(worker.getArgumentTypes()) != TypeRange(getInputs().getTypes())) {
      return emitOpError("expects operands of the worker's type ") << worker.getFunctionType();
    }
  }
  return success();
}

} // namespace convoy::task
