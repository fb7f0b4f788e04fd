// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the graph dialect: types, attributes and ops.

#pragma once

#include "Graph/Layout.h"
#include "Graph/OpFacts.h"
#include "Graph/TypeInference.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Graph/GraphDialect.h.inc"

#include "Graph/Elementwise.enum.h.inc"
#include "Graph/Integer.enum.h.inc"
#include "Graph/NN.enum.h.inc"
#include "Graph/Reduction.enum.h.inc"
#include "Graph/Tensor.enum.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Graph/GraphTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "Graph/GraphAttrs.h.inc"

#define GET_OP_CLASSES
#include "Graph/Control.h.inc" // first, because other families use YieldOp
#define GET_OP_CLASSES
#include "Graph/Collection.h.inc"
#define GET_OP_CLASSES
#include "Graph/Elementwise.h.inc"
#define GET_OP_CLASSES
#include "Graph/Integer.h.inc"
#define GET_OP_CLASSES
#include "Graph/NN.h.inc"
#define GET_OP_CLASSES
#include "Graph/Reduction.h.inc"
#define GET_OP_CLASSES
#include "Graph/Tensor.h.inc"
