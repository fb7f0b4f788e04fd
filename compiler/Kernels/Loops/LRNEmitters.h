// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitter of local response normalization over neighbouring channels.

#pragma once

#include "Kernels/Loops/KernelEmitter.h"

namespace convoy::kernels {

void addLRNEmitters(EmitterTable &table);

} // namespace convoy::kernels
