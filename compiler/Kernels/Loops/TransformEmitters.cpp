// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transform.

#include "Kernels/Loops/KernelEmitter.h"

using namespace mlir;

namespace convoy::kernels {

void addTransformEmitters(EmitterTable &) {}

} // namespace convoy::kernels
