// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a module on the host and compares its outputs with expected samples.

#pragma once

#include "Codegen/LLVM/LoadedModel.h"
#include "Kernels/Machine.h"
#include "Pipeline/RunStages.h"
#include "mlir/IR/BuiltinOps.h"
#include "tests/differential/Trial.h"

namespace convoy::test {

/// A module compiled for this machine, which runs on several inputs.
class HostGraph {
public:
  /// Compiles a copy of the module with all stage contracts checked. With several threads, every
  /// kernel is split, whatever its size. Set `isStrictMath` if infinities or NaN may appear,
  /// because Winograd spreads them over a tile.
  static llvm::Expected<HostGraph> compile(mlir::ModuleOp module, int64_t threads = 1,
                                           bool isStrictMath = false);
  static llvm::Expected<HostGraph> compile(mlir::ModuleOp module, const StageOptions &options);

  /// Runs twice on buffers with guard areas and a workspace filled with garbage. Returns the
  /// problem, or an empty string.
  std::string run(llvm::ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) const;

private:
  explicit HostGraph(std::shared_ptr<codegen::LoadedModel> model) : model(std::move(model)) {}

  std::shared_ptr<codegen::LoadedModel> model;
};

/// Compiles the module and runs it once. Returns the problem, or an empty string.
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
