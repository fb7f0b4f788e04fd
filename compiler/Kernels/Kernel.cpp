// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the kernel dialect. The folder of each template checks its configuration and packs its
// weights.

#include "Kernels/Kernel.h"
#include "Kernels/CheckNumbers.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "Kernels/ByteOpInterface.cpp.inc"
#include "Kernels/KernelDialect.cpp.inc"
#include "Kernels/KernelEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Kernels/KernelAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "Kernels/KernelOps.cpp.inc"

using namespace mlir;

namespace convoy::kernels {

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Kernels/KernelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Kernels/KernelOps.cpp.inc"
      >();
}

} // namespace convoy::kernels
