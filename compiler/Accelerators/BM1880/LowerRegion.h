// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a region to a program. The commands are one line with the sizes of both memories, followed
// by the text of the instructions. The memory holds weights, then neurons.

#pragma once

#include "Accelerators/BM1880/Instruction.h"
#include "Accelerators/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace convoy::bm1880 {

/// Emits an error if the chip does not support an op. With `usesLocal` false, only kernels of
/// global memory are used.
mlir::FailureOr<accelerators::Program> lowerRegion(mlir::func::FuncOp region, bool usesLocal);

/// The parsed commands of a program.
struct Commands {
  int64_t weightBytes = 0;
  int64_t neuronBytes = 0;
  int64_t bytesWithoutReuse = 0; // neuron bytes if no tensors shared memory
  llvm::StringRef text;

  /// Returns the offset of the neurons in the program's memory.
  int64_t neuronBase() const;
};
llvm::Expected<Commands> splitCommands(llvm::ArrayRef<uint8_t> commands);

} // namespace convoy::bm1880
