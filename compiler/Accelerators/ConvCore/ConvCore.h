// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The convcore dialect; ConvCore.td has the rules of its ops.

#pragma once

#include "Graph/Graph.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace convoy::convcore {

/// There is one written form of requantisation, and one list of its roundings.
using Rounding = graph::ShiftRounding;

/// Fails, with an error, unless the op has the types that its rule gives.
mlir::LogicalResult verifyInferredTypes(mlir::Operation *op);

template <typename ConcreteT>
class HasInferredTypes : public mlir::OpTrait::TraitBase<ConcreteT, HasInferredTypes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyInferredTypes(op); }
};

} // namespace convoy::convcore

#include "Accelerators/ConvCore/ConvCoreDialect.h.inc"
#include "Accelerators/ConvCore/ConvCoreEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Accelerators/ConvCore/ConvCoreAttrs.h.inc"

#define GET_OP_CLASSES
#include "Accelerators/ConvCore/ConvCoreOps.h.inc"
