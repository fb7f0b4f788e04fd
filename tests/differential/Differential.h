// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a module on the host and compares its outputs with expected samples.

#pragma once

#include "Kernels/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "tests/differential/Trial.h"

namespace convoy::test {

/// Compiles a copy of the module with all stage contracts checked. Runs it twice on buffers with
/// guard areas and a workspace filled with garbage. Returns the problem, or an empty string. With
/// several threads, every kernel is split, whatever its size. Set `isStrictMath` if infinities or
/// NaN may appear, because Winograd spreads them over a tile.
std::string runOnHost(mlir::ModuleOp module, llvm::ArrayRef<Tensor> inputs,
                      std::vector<Tensor> &outputs, int64_t threads = 1, bool isStrictMath = false);

/// Runs the module like runOnHost, with layouts and kernels for the vectors of `machine`.
std::string runOnHostAs(const kernels::Machine &machine, mlir::ModuleOp module,
                        llvm::ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs,
                        int64_t threads = 1, bool isStrictMath = true);

/// Runs with one thread and with `threads` threads. Returns where the outputs differ in a byte, or
/// an empty string.
std::string whyThreadsDiffer(mlir::ModuleOp module, llvm::ArrayRef<Tensor> inputs, int64_t threads);

/// Returns where `actual` differs from the sample by more than rounding explains, or an empty
/// string.
std::string whyDifferent(const Tensor &actual, const Sample &expected);

} // namespace convoy::test
