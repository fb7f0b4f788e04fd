// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of the functions that byte ops, and of the macros that multiply ops, call in emitted C.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace convoy::codegen {

/// A file in Bytes/ or Macros/.
struct ByteFunction {
  /// The lines between BEGIN and END.
  llvm::StringRef text;
  /// The files that it includes, without ".h", in order.
  llvm::SmallVector<llvm::StringRef> needs;
};

/// Returns the file `name`.h, or nothing if there is none.
std::optional<ByteFunction> findByteFunction(llvm::StringRef name);

} // namespace convoy::codegen
