// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a module on this machine's CPU and compares it with what it should give.

#pragma once

#include "Kernels/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "tests/differential/Trial.h"

namespace convoy::test {

/// Compiles a copy of the module, every stage checked, and runs it on buffers with
/// guarded borders and a workspace of garbage, twice. Says what is wrong, or
/// nothing. With several threads every kernel is cut, however small.
/// `isStrictMath` where infinities or NaN may appear: Winograd spreads them over a
/// tile.
std::string runOnHost(mlir::ModuleOp module, llvm::ArrayRef<Tensor> inputs,
                      std::vector<Tensor> &outputs, int64_t threads = 1, bool isStrictMath = false);

/// The same with layouts and kernels for another machine's vectors.
std::string runOnHostAs(const kernels::Machine &machine, mlir::ModuleOp module,
                        llvm::ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs,
                        int64_t threads = 1, bool isStrictMath = true);

/// Runs with one thread and with that many; says where the outputs are not the
/// same bytes, or nothing.
std::string whyThreadsDiffer(mlir::ModuleOp module, llvm::ArrayRef<Tensor> inputs, int64_t threads);

/// Says where `actual` is further from the sample than rounding explains, or
/// nothing.
std::string whyDifferent(const Tensor &actual, const Sample &expected);

} // namespace convoy::test
