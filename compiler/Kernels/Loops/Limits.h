// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reasons why the generic loops do not support an op. convoy-place-check-cpu reports them as
// errors.

#pragma once

#include "Graph/Graph.h"

namespace convoy::kernels {

struct NamedOperand {
  mlir::Value value; // null if absent
  llvm::StringRef name;
};

/// Returns an empty string if every present operand is a constant, otherwise a phrase that names
/// the first operand that is not.
inline std::string firstNotConstant(llvm::ArrayRef<NamedOperand> operands) {
  for (const NamedOperand &operand : operands) {
    if (operand.value && !operand.value.getDefiningOp<graph::ConstantOp>()) {
      return "has '" + operand.name.str() +
             "' known only at run time; bind it with --const if it is a model input";
    }
  }
  return "";
}

} // namespace convoy::kernels
