// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sampling.

#include "Kernels/Loops/KernelEmitter.h"

using namespace mlir;

namespace convoy::kernels {

void addSamplingEmitters(EmitterTable &) {}

} // namespace convoy::kernels
