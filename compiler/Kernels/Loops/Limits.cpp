// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operands that must be constants but are not. The emitter tables use it in their limit
// checks.

#include "Kernels/Loops/Limits.h"
#include "Graph/Graph.h"

namespace convoy::kernels {

std::string firstNotConstant(llvm::ArrayRef<NamedOperand> operands) {
  for (const NamedOperand &operand : operands) {
    if (operand.value && !operand.value.getDefiningOp<graph::ConstantOp>()) {
      return "has '" + operand.name.str() +
             "' known only at run time; bind it with --const if it is a model input";
    }
  }
  return "";
}

} // namespace convoy::kernels
