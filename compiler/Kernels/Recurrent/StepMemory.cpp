// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns consecutive cache lines to the values of a step.

#include "Kernels/Recurrent/StepMemory.h"
#include "Kernels/Core/CeilDiv.h"

using namespace mlir;

namespace convoy::kernels {

StepMemory::StepMemory(const ScanKernel &kernel, int64_t lanes) {
  for (BlockArgument argument : kernel.body().getArguments()) {
    place(argument, 0);
    if (argument.getArgNumber() < kernel.states()) {
      stateBytes.push_back(bytes - first[argument]);
      bytes += stateBytes.back();
    }
  }
  for (graph::MatMulOp product : kernel.products) {
    place(product.getLhs(), 0);
    place(product.getResult(), lanes);
  }
}

void StepMemory::place(Value value, int64_t slack) {
  constexpr int64_t kLineBytes = 64;
  if (first.try_emplace(value, bytes).second) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t element = storageBytes(fromMlir(type.getElementType()));
    bytes += ceilDiv((type.getNumElements() + slack) * element, kLineBytes) * kLineBytes;
  }
}

} // namespace convoy::kernels
