// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task dialect: Task.td documents its ops and attributes. Attributes.h names the attributes of
// modules, workers and arguments of @main.

#pragma once

#include "Task/Attributes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "Task/TaskDialect.h.inc"
#include "Task/TaskEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Task/TaskAttrs.h.inc"

#define GET_OP_CLASSES
#include "Task/Task.h.inc"

namespace convoy::task {

/// Elements per flag. A flag is the first element of its cache line.
constexpr int64_t kFlagElems = 16;
/// Elements per word of a share: the steps taken from the front and from the back of a part.
constexpr int64_t kWordElems = 2;

} // namespace convoy::task
