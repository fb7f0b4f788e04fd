// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the operations of a kernel's loops. Functions on bytes have no loops in the IR; the
// multiply-adds and the bytes of the result describe their work.

#include "Pipeline/KernelWork.h"
#include "Kernels/Kernel.h"
#include "Kernels/Passes.h"
#include "Kernels/VectorUse.h"

using namespace mlir;

namespace convoy {

static int64_t bytesOf(MemRefType type) {
  int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return type.hasStaticShape() ? type.getNumElements() * elementBytes : 0;
}

KernelWork workOf(task::KernelOp kernel) {
  KernelWork work;
  if (!kernel.isExternal()) {
    kernels::VectorUse use = kernels::countVectors(kernel);
    work.vectorOps = use.vectorOps;
    work.elements = use.elements;
    work.scalarOps = use.scalarOps;
  }
  kernel.walk([&](Operation *op) {
    bool isOnMemory = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>);
    work.callsFunctions |= isOnMemory && isa_and_nonnull<kernels::KernelDialect>(op->getDialect());
  });
  std::optional<FunctionType> tensors = kernel.getTensors();
  for (Type result : tensors ? tensors->getResults() : ArrayRef<Type>()) {
    work.resultBytes.most += bytesOf(kernels::memoryType(result));
  }
  return work;
}

double estimateCycles(const KernelWork &work, double multiplyAdds,
                      const targets::InstructionCycles &cycles) {
  bool hasVectors = cycles.vector > 0;
  auto integer = static_cast<double>(cycles.integer), vector = static_cast<double>(cycles.vector);
  // gcc does not vectorize the loops over lanes of emitted C.
  double total = (work.scalarOps + work.elements) * integer;
  if (work.callsFunctions) {
    // A vector holds 16 bytes, or four sums that are rescaled together.
    auto load = static_cast<double>(cycles.load), multiply = static_cast<double>(cycles.multiply);
    double product = hasVectors ? (load + vector) / 16 : load + multiply;
    double rescaling = hasVectors ? 2 * vector : multiply + 4 * integer + load;
    total += multiplyAdds * product + static_cast<double>(work.resultBytes.most) * rescaling;
  }
  return total;
}

} // namespace convoy
