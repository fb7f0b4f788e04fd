// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Skips passes by name. The searches in this folder complete the lowering of a recorded module with
// it: a pass manager cannot start in the middle of a pipeline.

#pragma once

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"

namespace convoy::check {

/// Skips the named passes of the context's pass managers during its lifetime.
class PassSkipper {
public:
  /// Ignores the empty name, because the adaptor that runs passes over functions has no name.
  PassSkipper(mlir::MLIRContext *context, llvm::StringSet<> names);
  ~PassSkipper();
  PassSkipper(const PassSkipper &) = delete;
  PassSkipper &operator=(const PassSkipper &) = delete;

private:
  mlir::MLIRContext *context;
  llvm::StringSet<> names;
};

} // namespace convoy::check
