// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the emitter of local response normalization over neighbouring channels.
// WindowEmitters.cpp adds it to the table of window ops.

#pragma once

#include "Kernels/Loops/KernelEmitter.h"

namespace convoy::kernels {

void addLRNEmitters(EmitterTable &table);

} // namespace convoy::kernels
