// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nvdla dialect; Nvdla.td defines its ops.

#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Accelerators/NVDLA/Dialect/NvdlaDialect.h.inc"
#include "Accelerators/NVDLA/Dialect/NvdlaEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Accelerators/NVDLA/Dialect/NvdlaAttrs.h.inc"

#define GET_OP_CLASSES
#include "Accelerators/NVDLA/Dialect/NvdlaOps.h.inc"
