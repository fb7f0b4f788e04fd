// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sort.

#include "Kernels/Loops/KernelEmitter.h"

using namespace mlir;

namespace convoy::kernels {

void addSortEmitters(EmitterTable &) {}

} // namespace convoy::kernels
