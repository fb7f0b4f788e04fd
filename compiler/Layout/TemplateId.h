// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The id of a kernel's template. Every output that names templates uses it.

#pragma once

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/StringRef.h"

namespace convoy::layout {

/// The id of the generic loops, whose configuration is null.
constexpr llvm::StringLiteral kLoopsTemplate = "loops";

/// Returns the template of a configuration: the mnemonic of the attribute.
inline llvm::StringRef templateOf(mlir::Attribute config) {
  return config ? config.getAbstractAttribute().getName().split('.').second
                : llvm::StringRef(kLoopsTemplate);
}

} // namespace convoy::layout
