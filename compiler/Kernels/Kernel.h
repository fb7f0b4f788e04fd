// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ classes of the kernel dialect: template configurations, weight layouts, byte ops and the
// machine.
// Kernel.td and the .td file of each template document the attributes.

#pragma once

#include "Graph/Layout.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Kernels/ByteOpInterface.h.inc"
#include "Kernels/KernelDialect.h.inc"
#include "Kernels/KernelEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Kernels/KernelAttrs.h.inc"

#define GET_OP_CLASSES
#include "Kernels/KernelOps.h.inc"
