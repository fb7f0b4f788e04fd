// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the op of Custom.td, and the interface through which the reference and models in this
// process find the C functions of the user.

#pragma once

#include "Graph/Graph.h"
#include "convoy/custom_op.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/Support/Error.h"

#define GET_OP_CLASSES
#include "Graph/Custom.h.inc"

namespace convoy::graph {

/// Returns the type that ONNX calls `name`, or Undefined if tensors of custom ops cannot have it: C
/// functions have no elements of strings, complex numbers and types of at most 8 bits with
/// fractions.
ElementType customElementType(llvm::StringRef name);

/// Returns whether C code can declare a function of the user with this name: letters, digits and
/// '_', and not a name of Convoy. Emitted C contains the name.
bool isCustomFunctionName(llvm::StringRef name);

/// Returns the estimated number of operations of a call, or nullopt if the declaration has none or
/// a dimension is unknown.
std::optional<int64_t> operationsOf(CustomOp op);

/// Finds the C functions of the user in this process. The driver adds an implementation to the
/// graph dialect of a context if the user passed declarations. Without it, no function exists.
class CustomFunctions : public mlir::DialectInterface::Base<CustomFunctions> {
public:
  explicit CustomFunctions(mlir::Dialect *dialect) : Base(dialect) {}

  /// Returns the functions of a context, or null.
  static const CustomFunctions *of(mlir::MLIRContext *context);

  virtual llvm::Expected<convoy_custom_function *> find(llvm::StringRef function) const = 0;
};

} // namespace convoy::graph
