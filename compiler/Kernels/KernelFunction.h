// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function on memory that replaces a kernel on tensors. Every template uses it to declare its
// result:
//
//     f(operand memory..., result memory..., [status,] [scratch,] begin, end)

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Task/RowSteps.h"
#include "Task/Task.h"

namespace convoy::kernels {

class KernelFunction {
public:
  /// Declares the function beside `kernel`; finish() erases `kernel`. If `scratchBytes` is above 0,
  /// the function has an argument with private scratch memory, aligned like tensors.
  explicit KernelFunction(task::KernelOp kernel, int64_t scratchBytes = 0)
      : KernelFunction(kernel, scratchBytes, /*mayFail=*/false) {}
  /// Declares a function that may fail. It has the status cell of the run as an argument.
  static KernelFunction thatMayFail(task::KernelOp kernel, int64_t scratchBytes = 0) {
    return {kernel, scratchBytes, true};
  }

  /// Returns the memory of operand or result i.
  mlir::Value operand(unsigned i) { return lowered.getArgument(i); }
  /// Returns the memory of the operand that an argument of the body is.
  mlir::Value operand(mlir::Value argument) {
    return operand(mlir::cast<mlir::BlockArgument>(argument).getArgNumber());
  }
  mlir::Value result(unsigned i) { return lowered.getArgument(operands + i); }
  mlir::Value status() { return lowered.getArgument(operands + results); }
  mlir::Value scratch() { return lowered.getArgument(lowered.getNumArguments() - 3); }
  /// Returns `count` f32 of the scratch memory from element `first` on.
  mlir::Value scratchFloats(int64_t first, int64_t count);
  mlir::Value scratchFloats(mlir::Value first, int64_t count);
  mlir::Value begin() { return lowered.getArgument(lowered.getNumArguments() - 2); }
  mlir::Value end() { return lowered.getArgument(lowered.getNumArguments() - 1); }

  /// Returns the block of graph ops to lower.
  mlir::Block &body() { return kernel.getBody().front(); }
  llvm::SmallVector<mlir::Value> resultMemory();

  /// Binds operands to memory, so that the emitter can load their elements.
  void bindOperands(KernelEmitter &emitter);

  /// Allows the result to share memory with one of these operands. The kernel must read each
  /// element of the operand before it writes the result element at the same offset.
  void allowInPlace(llvm::ArrayRef<unsigned> operands);

  /// Ends the function. `range` is the number of steps of its outermost loop. `joint` is the number
  /// of consecutive steps that share a setup, which the first of them does.
  void finish(int64_t range, int64_t joint = 1);

  /// Declares that the range consists of `rounds` equal rounds, and that a step may read what any
  /// step of an earlier round wrote. The scratch memory is then shared by all workers of a run.
  /// Call it before finish().
  void setRounds(int64_t rounds);

  /// Records how the range covers the rows of the single result: `outer` and `inner` step counts
  /// and, for each chunk between them, the number of rows done after it. Does nothing if the result
  /// has no rows. Call it before finish().
  void setRows(int64_t outer, llvm::SmallVector<int64_t> ends, int64_t inner = 1);

  /// Ends a function whose range runs over the rows of the result.
  void finishRows(int64_t rows) {
    setRows(1, task::evenChunks(rows, 1));
    finish(rows);
  }

  mlir::ImplicitLocOpBuilder b;

private:
  KernelFunction(task::KernelOp kernel, int64_t scratchBytes, bool mayFail);

  task::KernelOp kernel;
  task::KernelOp lowered;
  unsigned operands;
  unsigned results;
};

} // namespace convoy::kernels
