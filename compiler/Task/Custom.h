// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the op of Custom.td. Kernels creates it, and both code generators lower it.

#pragma once

#include "Task/Task.h"

#define GET_OP_CLASSES
#include "Task/Custom.h.inc"
