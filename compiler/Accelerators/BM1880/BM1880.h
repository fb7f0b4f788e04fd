// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bm1880 dialect; BM1880.td defines its instructions.

#pragma once

#include "Accelerators/BM1880/Instruction.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

namespace convoy::bm1880 {

/// Emits an error unless the attributes are the fields of the instruction.
mlir::LogicalResult verifyFields(mlir::Operation *op);

template <typename ConcreteT>
class HasKnownFields : public mlir::OpTrait::TraitBase<ConcreteT, HasKnownFields> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyFields(op); }
};

/// Converts an instruction to an op and back; the op must be valid.
mlir::Operation *toOp(const Instruction &instruction, mlir::OpBuilder &builder, mlir::Location loc);
Instruction fromOp(mlir::Operation *op);

} // namespace convoy::bm1880

#include "Accelerators/BM1880/BM1880Dialect.h.inc"
#define GET_OP_CLASSES
#include "Accelerators/BM1880/BM1880Ops.h.inc"
