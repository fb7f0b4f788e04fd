// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scatter.

#include "Kernels/Loops/KernelEmitter.h"

using namespace mlir;

namespace convoy::kernels {

void addScatterEmitters(EmitterTable &) {}

} // namespace convoy::kernels
