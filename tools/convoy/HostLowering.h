// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way of a module of kernels to code in this process, taken apart: the module
// after each pass, and any of these modules brought to the end. MachineTarget goes
// the same way in one go.

#pragma once

#include "Codegen/LLVM/LoadedModel.h"
#include "Pipeline/Pipeline.h"
#include "Target.h"
#include "llvm/ADT/StringSet.h"

namespace convoy::driver {

/// A module after a pass; before the first pass the name is empty.
struct Snapshot {
  std::string pass;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

class HostLowering {
public:
  using Outputs = mlir::FailureOr<std::vector<Datum>>;

  HostLowering();

  /// What may be set otherwise to see whether a fault goes away.
  convoy::CompileOptions stages;
  codegen::CodegenOptions codegen;

  /// Lowers a copy of the module and runs it. `hook` sees the passes.
  Outputs run(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs, const PassHook &hook) const;

  /// The module itself and after each pass that `hook` sees. A pass that fails
  /// ends the list.
  std::vector<Snapshot> snapshots(mlir::ModuleOp module, const PassHook &hook) const;

  /// Runs a copy of a snapshot of `list` through the passes that follow it.
  Outputs complete(llvm::ArrayRef<Snapshot> list, size_t index, llvm::ArrayRef<Datum> inputs) const;

private:
  void build(mlir::PassManager &passes) const;
  Outputs load(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs) const;
};

} // namespace convoy::driver
