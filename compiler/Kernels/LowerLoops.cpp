// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers every kernel by the generic loop template. The template itself is in
// Loops/; here the function around it changes from tensors to memory.

#include "Graph/Graph.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Kernels/Passes.h"
#include "Tasks/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWERLOOPSPASS
#include "Kernels/Passes.h.inc"

MemRefType memoryType(Type tensor) {
  auto ranked = cast<RankedTensorType>(tensor);
  ElementType element = fromMlir(ranked.getElementType());
  return MemRefType::get({ranked.getNumElements()}, storageType(element, tensor.getContext()));
}

/// Declares the function on memory that replaces a kernel on tensors.
static func::FuncOp declareLowered(func::FuncOp kernel) {
  OpBuilder builder(kernel);
  FunctionType type = kernel.getFunctionType();
  SmallVector<Type> arguments;
  for (Type tensor : llvm::concat<const Type>(type.getInputs(), type.getResults())) {
    arguments.push_back(memoryType(tensor));
  }
  arguments.append(2, builder.getIndexType());
  auto lowered = builder.create<func::FuncOp>(kernel.getLoc(), kernel.getName(),
                                              builder.getFunctionType(arguments, {}));
  lowered.setPrivate();
  lowered->setAttr(task::kKernelAttr, builder.getUnitAttr());
  return lowered;
}

static void lowerKernel(func::FuncOp kernel, int64_t vectorBytes) {
  func::FuncOp lowered = declareLowered(kernel);
  Block *entry = lowered.addEntryBlock();
  Block &body = kernel.getBody().front();
  ImplicitLocOpBuilder builder(kernel.getLoc(), kernel.getContext());
  builder.setInsertionPointToEnd(entry);
  KernelEmitter emitter(builder, vectorBytes);
  unsigned inputs = body.getNumArguments();
  for (unsigned i = 0; i < inputs; ++i) {
    emitter.bind(body.getArgument(i), {entry->getArgument(i), emitter.type(body.getArgument(i))});
  }
  // Results are bound under the values returned, by position: the same value may
  // be returned twice.
  SmallVector<Value> results;
  Operation *terminator = body.getTerminator();
  for (unsigned i = 0; i < terminator->getNumOperands(); ++i) {
    results.push_back(entry->getArgument(inputs + i));
  }
  unsigned count = entry->getNumArguments();
  emitter.emitKernel(body, results, entry->getArgument(count - 2), entry->getArgument(count - 1));
  builder.setInsertionPointToEnd(entry);
  builder.create<func::ReturnOp>();
  lowered->setAttr(task::kRangeAttr, builder.getI64IntegerAttr(emitter.range));
  kernel.erase();
}

namespace {
struct LowerLoops : impl::LowerLoopsPassBase<LowerLoops> {
  using LowerLoopsPassBase::LowerLoopsPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (task::isKernel(function)) {
        kernels.push_back(function);
      }
    }
    for (func::FuncOp kernel : kernels) {
      lowerKernel(kernel, vectorBytes);
    }
  }
};
} // namespace
} // namespace convoy::kernels
