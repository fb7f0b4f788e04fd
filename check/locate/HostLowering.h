// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way of a module of kernels to code in this process, taken apart: the module
// after each pass, and any of these modules brought to the end. A compile goes the
// same way in one go.

#pragma once

#include "Pipeline/RunStages.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/Datum.h"

namespace convoy::check {

using reference::Datum;

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
  StageOptions stages;

  /// Lowers a copy of the module and runs it. `observer`, which may be null, sees the
  /// stages.
  Outputs run(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs, StageObserver *observer) const;

  /// The module itself and after each pass. A pass that fails ends the list.
  std::vector<Snapshot> snapshots(mlir::ModuleOp module, StageObserver *observer) const;

  /// Runs a copy of a snapshot of `list` through the passes that follow it.
  Outputs complete(llvm::ArrayRef<Snapshot> list, size_t index, llvm::ArrayRef<Datum> inputs) const;

private:
  mlir::LogicalResult lower(mlir::ModuleOp module, StageObserver *observer) const;
  Outputs load(mlir::ModuleOp module, llvm::ArrayRef<Datum> inputs) const;
};

} // namespace convoy::check
