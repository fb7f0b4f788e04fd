// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares and completes the functions of lowered kernels. Each template emits the body between the
// two.

#include "Kernels/KernelFunction.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Returns the named locations of the kernel's ops in order and without duplicates, or null if
/// there are none.
Attribute nodesIn(func::FuncOp kernel) {
  llvm::SetVector<Location> nodes;
  kernel.getBody().walk([&](Operation *op) {
    if (isa<NameLoc, FusedLoc>(op->getLoc()) && !op->hasTrait<OpTrait::IsTerminator>()) {
      nodes.insert(op->getLoc());
    }
  });
  return nodes.empty()
             ? Attribute()
             : Attribute(LocationAttr(FusedLoc::get(kernel.getContext(), nodes.takeVector())));
}

} // namespace

MemRefType memoryType(Type tensor) {
  auto ranked = cast<RankedTensorType>(tensor);
  ElementType element = fromMlir(ranked.getElementType());
  return MemRefType::get({graph::physicalElements(ranked)},
                         storageType(element, tensor.getContext()));
}

KernelFunction::KernelFunction(func::FuncOp kernel, int64_t scratchBytes, bool mayFail)
    : b(kernel.getLoc(), kernel.getContext()), kernel(kernel),
      operands(kernel.getFunctionType().getNumInputs()),
      results(kernel.getFunctionType().getNumResults()) {
  FunctionType type = kernel.getFunctionType();
  SmallVector<Type> arguments;
  for (Type tensor : llvm::concat<const Type>(type.getInputs(), type.getResults())) {
    arguments.push_back(memoryType(tensor));
  }
  if (mayFail) {
    arguments.push_back(MemRefType::get({1}, b.getI32Type()));
  }
  if (scratchBytes > 0) {
    arguments.push_back(MemRefType::get({scratchBytes}, b.getI8Type()));
  }
  arguments.append(2, b.getIndexType());
  b.setInsertionPoint(kernel);
  lowered = b.create<func::FuncOp>(kernel.getName(), b.getFunctionType(arguments, {}));
  lowered.setPrivate();
  lowered->setAttr(task::kKernelAttr, b.getUnitAttr());
  lowered->setAttr(task::kTypeAttr, TypeAttr::get(type));
  if (Attribute nodes = nodesIn(kernel)) {
    lowered->setAttr(task::kNodesAttr, nodes);
  }
  if (mayFail) {
    lowered->setAttr(task::kStatusAttr, b.getUnitAttr());
  }
  if (scratchBytes > 0) {
    lowered->setAttr(task::kScratchAttr, b.getI64IntegerAttr(scratchBytes));
  }
  b.setInsertionPointToEnd(lowered.addEntryBlock());
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
  lowered->setAttr(task::kInPlaceAttr, b.getDenseI64ArrayAttr(arguments));
}

void KernelFunction::setRows(int64_t outer, SmallVector<int64_t> ends, int64_t inner) {
  auto reads = task::inferRowReads(body());
  if (reads && !ends.empty()) {
    task::RowSteps steps{outer, inner, std::move(ends), std::move(*reads)};
    lowered->setAttr(task::kRowsAttr, steps.toAttr(b.getContext()));
  }
}

void KernelFunction::setRounds(int64_t rounds) {
  lowered->setAttr(task::kRoundsAttr, b.getI64IntegerAttr(rounds));
}

void KernelFunction::finish(int64_t range, int64_t joint) {
  b.setInsertionPointToEnd(&lowered.getBody().front());
  b.create<func::ReturnOp>();
  lowered->setAttr(task::kRangeAttr, b.getI64IntegerAttr(range));
  if (joint > 1) {
    lowered->setAttr(task::kJointAttr, b.getI64IntegerAttr(joint));
  }
  kernel.erase();
}

} // namespace convoy::kernels
