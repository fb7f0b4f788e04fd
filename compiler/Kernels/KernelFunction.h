// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function on memory that replaces a kernel on tensors. Every template
// starts with it:
//
//     f(operand memory..., result memory..., [status,] [scratch,] begin, end)

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Tasks/RowSteps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::kernels {

class KernelFunction {
public:
  /// Declares the function beside `kernel`, which finish() erases. `scratchBytes`
  /// above 0 adds an argument: memory of this run alone, aligned as tensors are.
  explicit KernelFunction(mlir::func::FuncOp kernel, int64_t scratchBytes = 0)
      : KernelFunction(kernel, scratchBytes, /*mayFail=*/false) {}
  /// A function that may fail has the cell of the run's status as an argument.
  static KernelFunction thatMayFail(mlir::func::FuncOp kernel) { return {kernel, 0, true}; }

  /// Where operand or result i lives.
  mlir::Value operand(unsigned i) { return lowered.getArgument(i); }
  mlir::Value result(unsigned i) { return lowered.getArgument(operands + i); }
  mlir::Value status() { return lowered.getArgument(operands + results); }
  mlir::Value scratch() { return lowered.getArgument(lowered.getNumArguments() - 3); }
  mlir::Value begin() { return lowered.getArgument(lowered.getNumArguments() - 2); }
  mlir::Value end() { return lowered.getArgument(lowered.getNumArguments() - 1); }

  /// The ops to lower.
  mlir::Block &body() { return kernel.getBody().front(); }
  llvm::SmallVector<mlir::Value> resultMemory();

  /// Binds operands to memory, so that the emitter can load their elements.
  void bindOperands(KernelEmitter &emitter);

  /// Lets the result have the place of one of these operands: each of its elements is
  /// read only before the result's at the same offset is written.
  void allowInPlace(llvm::ArrayRef<unsigned> operands);

  /// Ends the function: the range is the number of steps of its outermost loop, of
  /// which so many in a row share what the first of them prepares.
  void finish(int64_t range, int64_t joint = 1);

  /// Says how the range runs over the rows of the one result: so many outer and inner
  /// steps, and the rows done after each chunk between them. Says nothing of a result
  /// without rows. Before finish().
  void setRows(int64_t outer, llvm::SmallVector<int64_t> ends, int64_t inner = 1);

  mlir::ImplicitLocOpBuilder b;

private:
  KernelFunction(mlir::func::FuncOp kernel, int64_t scratchBytes, bool mayFail);

  mlir::func::FuncOp kernel;
  mlir::func::FuncOp lowered;
  unsigned operands;
  unsigned results;
};

} // namespace convoy::kernels
