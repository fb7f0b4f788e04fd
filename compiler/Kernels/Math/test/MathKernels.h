// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs expanded math ops: one loop per op, element type and vector length, which
// convoy-kernels-lower-math expands. The loops are lowered and compiled in process.

#ifndef CONVOY_TESTS_NUMERIC_MATHKERNELS_H
#define CONVOY_TESTS_NUMERIC_MATHKERNELS_H

#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ExecutionEngine;
class MLIRContext;
} // namespace mlir

namespace convoy::test {

/// One loop to compile: `op` on `element` (f32 or f64) with one or two operands, `lanes` elements
/// at a time (1 is a scalar).
struct MathKernel {
  std::string op;
  std::string element;
  int lanes;
  int operands;

  std::string name() const { return op + "_" + element + "_" + std::to_string(lanes); }
};

class MathKernels {
public:
  /// Compiles all `kernels` into one module. `problem` describes the failure, or names a remaining
  /// op that a target might turn into a library call.
  MathKernels(llvm::ArrayRef<MathKernel> kernels, bool fuseMultiplyAdd);
  ~MathKernels();

  const std::string &problem() const { return error; }

  /// Computes out[i] = op(x[i], y[i]); sizes must be equal and multiples of 16.
  template <typename T>
  void run(const MathKernel &kernel, const std::vector<T> &x, const std::vector<T> &y,
           std::vector<T> &out);

private:
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  std::string error;
};

/// Returns the undefined symbols of an object file of `kernels` for baseline x86-64, plus a line
/// per failure. The list is empty if the expansions call no library.
std::vector<std::string> symbolsLeftToLink(llvm::ArrayRef<MathKernel> kernels);

} // namespace convoy::test

#endif // CONVOY_TESTS_NUMERIC_MATHKERNELS_H
