// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reasons why the generic loops do not support an op. convoy-place-check-cpu reports them as
// errors.

#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy::kernels {

struct NamedOperand {
  mlir::Value value; // null if absent
  llvm::StringRef name;
};

/// Returns an empty string if every present operand is a constant, otherwise a phrase that names
/// the first operand that is not.
std::string firstNotConstant(llvm::ArrayRef<NamedOperand> operands);

} // namespace convoy::kernels
