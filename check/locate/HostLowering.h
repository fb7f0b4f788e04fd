// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a module of kernels to code in this process, one pass at a time. It records the
// module after each pass and can complete the lowering of each recorded module. The driver
// runs the same passes without interruption.

#pragma once

#include "Pipeline/RunStages.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/Datum.h"

namespace convoy::check {

using reference::Datum;

/// A module after a pass. Before the first pass, the name is empty.
struct Snapshot {
  std::string pass;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

class HostLowering {
public:
  using Outputs = mlir::FailureOr<std::vector<Datum>>;

  HostLowering();

  /// The options of the stages. The search changes them to see whether the outputs become
  /// right.
  StageOptions stages;

  /// Lowers a copy of the module and runs it. `observer` observes the stages and may be null.
  Outputs run(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs, StageObserver *observer) const;

  /// Returns a copy of the module before the first pass and after each pass. The list ends at
  /// the first pass that fails.
  std::vector<Snapshot> snapshots(mlir::ModuleOp module, StageObserver *observer) const;

  /// Runs a copy of a snapshot of `list` through the remaining passes, then runs the code.
  Outputs complete(llvm::ArrayRef<Snapshot> list, size_t index, llvm::ArrayRef<Datum> inputs) const;

private:
  mlir::LogicalResult lower(mlir::ModuleOp module, StageObserver *observer) const;
  Outputs load(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs) const;
};

} // namespace convoy::check
