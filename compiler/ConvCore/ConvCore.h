// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The convcore dialect; ConvCore.td defines its ops.

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

/// Graph and convcore ops share the rounding modes of requantization.
using Rounding = graph::ShiftRounding;

/// Emits an error unless the result types equal the types that the op's type rule infers.
mlir::LogicalResult verifyInferredTypes(mlir::Operation *op);

template <typename ConcreteT>
class HasInferredTypes : public mlir::OpTrait::TraitBase<ConcreteT, HasInferredTypes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyInferredTypes(op); }
};

} // namespace convoy::convcore

#include "ConvCore/ConvCoreDialect.h.inc"
#include "ConvCore/ConvCoreEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ConvCore/ConvCoreAttrs.h.inc"

#define GET_OP_CLASSES
#include "ConvCore/ConvCoreOps.h.inc"
