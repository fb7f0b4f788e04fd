// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares and completes lowered kernels. Each template emits the body between the two.

#include "Kernels/KernelFunction.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Returns the named locations of the kernel's ops in order and without duplicates, or null if
/// there are none.
LocationAttr nodesIn(task::KernelOp kernel) {
  llvm::SetVector<Location> nodes;
  kernel.getBody().walk([&](Operation *op) {
    if (isa<NameLoc, FusedLoc>(op->getLoc()) && !op->hasTrait<OpTrait::IsTerminator>()) {
      nodes.insert(op->getLoc());
    }
  });
  return nodes.empty() ? LocationAttr()
                       : LocationAttr(FusedLoc::get(kernel.getContext(), nodes.takeVector()));
}

} // namespace

MemRefType memoryType(Type tensor) {
  auto ranked = cast<RankedTensorType>(tensor);
  ElementType element = fromMlir(ranked.getElementType());
  return MemRefType::get({graph::physicalElements(ranked)},
                         storageType(element, tensor.getContext()));
}

KernelFunction::KernelFunction(task::KernelOp kernel, int64_t scratchBytes, bool mayFail)
    : b(kernel.getLoc(), kernel.getContext()), kernel(kernel),
      operands(kernel.getFunctionType().getNumInputs()),
      results(kernel.getFunctionType().getNumResults()) {
  FunctionType type = kernel.getFunctionType();
  SmallVector<Type> arguments;
  SmallVector<Attribute> access;
  auto addMemory = [&](Type memory, task::Access own) {
    arguments.push_back(memory);
    access.push_back(task::AccessAttr::get(b.getContext(), own));
  };
  for (Type tensor : type.getInputs()) {
    addMemory(memoryType(tensor), task::Access::Read);
  }
  for (Type tensor : type.getResults()) {
    addMemory(memoryType(tensor), task::Access::ReadWrite); // may hold partial sums
  }
  if (mayFail) {
    addMemory(MemRefType::get({1}, b.getI32Type()), task::Access::ReadWrite);
  }
  if (scratchBytes > 0) {
    addMemory(MemRefType::get({scratchBytes}, b.getI8Type()), task::Access::ReadWrite);
  }
  arguments.append(2, b.getIndexType());
  b.setInsertionPoint(kernel);
  lowered = b.create<task::KernelOp>(kernel.getName(), b.getFunctionType(arguments, {}));
  lowered.setConfigAttr(kernel.getConfigAttr());
  lowered.setAccessAttr(b.getArrayAttr(access));
  lowered.setTensors(type);
  lowered.setNodesAttr(nodesIn(kernel));
  lowered.setMayFail(mayFail);
  if (scratchBytes > 0) {
    lowered.setScratch(scratchBytes);
  }
  b.setInsertionPointToEnd(lowered.addEntryBlock());
}

Value KernelFunction::scratchFloats(int64_t first, int64_t count) {
  return scratchFloats(b.create<arith::ConstantIndexOp>(first), count);
}

Value KernelFunction::scratchFloats(Value first, int64_t count) {
  auto type = MemRefType::get({count}, b.getF32Type());
  Value byte = b.createOrFold<arith::MulIOp>(first, b.create<arith::ConstantIndexOp>(4));
  return b.create<memref::ViewOp>(type, scratch(), byte, ValueRange());
}

SmallVector<Value> KernelFunction::resultMemory() {
  SmallVector<Value> memory;
  for (unsigned i = 0; i < results; ++i) {
    memory.push_back(result(i));
  }
  return memory;
}

void KernelFunction::bindOperands(KernelEmitter &emitter) {
  for (BlockArgument argument : body().getArguments()) {
    emitter.bind(argument, {operand(argument.getArgNumber()), emitter.type(argument)});
  }
}

void KernelFunction::allowInPlace(ArrayRef<unsigned> inPlace) {
  if (inPlace.empty()) {
    return;
  }
  SmallVector<int64_t> arguments(inPlace.begin(), inPlace.end());
  arguments.push_back(operands);
  lowered.setInPlace(arguments);
}

void KernelFunction::setRows(int64_t outer, SmallVector<int64_t> ends, int64_t inner) {
  auto reads = task::inferRowReads(body());
  if (reads && !ends.empty()) {
    task::RowSteps steps{outer, inner, std::move(ends), std::move(*reads)};
    lowered.setRowsAttr(steps.toAttr(b.getContext()));
  }
}

void KernelFunction::setRounds(int64_t rounds) { lowered.setRounds(rounds); }

void KernelFunction::finish(int64_t range, int64_t joint) {
  b.setInsertionPointToEnd(&lowered.getBody().front());
  b.create<task::ReturnOp>();
  lowered.setRange(range);
  if (joint > 1) {
    lowered.setJoint(joint);
  }
  kernel.erase();
}

} // namespace convoy::kernels
