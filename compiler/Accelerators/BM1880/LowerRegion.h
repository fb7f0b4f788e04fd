// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region as a program. Its commands are a line with the sizes of both memories, then
// the text of the instructions; its memory is weights, then neurons.

#pragma once

#include "Accelerators/BM1880/Instruction.h"
#include "Accelerators/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace convoy::bm1880 {

/// Emits an error where the chip does not run an op. Local memory may be left alone.
mlir::FailureOr<accelerators::Program> lowerRegion(mlir::func::FuncOp region, bool usesLocal);

/// The commands of a program, taken apart.
struct Commands {
  int64_t weightBytes = 0;
  int64_t neuronBytes = 0;
  int64_t bytesWithoutReuse = 0; // of neurons, were every tensor to have its own
  llvm::StringRef text;

  /// Where neurons start in the program's memory.
  int64_t neuronBase() const;
};
llvm::Expected<Commands> splitCommands(llvm::ArrayRef<uint8_t> commands);

} // namespace convoy::bm1880
