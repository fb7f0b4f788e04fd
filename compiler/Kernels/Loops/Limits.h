// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words for what the loop template cannot emit.

#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace convoy::kernels {

struct NamedOperand {
  mlir::Value value; // null when absent
  llvm::StringRef name;
};

/// Empty when every operand given is a constant; else a sentence naming the
/// first that is not.
std::string firstNotConstant(llvm::ArrayRef<NamedOperand> operands);

} // namespace convoy::kernels
