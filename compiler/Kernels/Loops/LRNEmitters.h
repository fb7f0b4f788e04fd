// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisation over neighbouring channels, a window of its own kind.

#pragma once

#include "Kernels/Loops/KernelEmitter.h"

namespace convoy::kernels {

void addLRNEmitters(EmitterTable &table);

} // namespace convoy::kernels
