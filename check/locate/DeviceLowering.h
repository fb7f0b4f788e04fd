// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs layers through a device's own passes and on its simulator, and finds the first wrong pass.
// The device stage of the pipeline runs the same passes.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Pipeline/RunStages.h"
#include "check/locate/KernelFault.h"
#include "llvm/ADT/StringSet.h"

namespace convoy::check {

class DeviceLowering {
public:
  using Outputs = mlir::FailureOr<std::vector<Datum>>;

  /// `injected` observes the device's passes and may be null.
  DeviceLowering(const accelerators::Accelerator &device, StageObserver *injected)
      : device(device), injected(injected) {}

  /// Lowers a copy of the layers and runs it.
  Outputs run(mlir::func::FuncOp layers, llvm::ArrayRef<Datum> inputs) const;

  /// Returns the first pass after which the layers give wrong outputs, if all later passes are
  /// right. If the outputs are wrong without `injected` too, a built-in pass is wrong. In that
  /// case, the search skips one pass at a time; a pass without which the outputs are right is the
  /// result.
  FirstWrongPass firstWrongPass(mlir::func::FuncOp layers, llvm::ArrayRef<Datum> inputs,
                                IsWrong isWrong) const;

private:
  struct Snapshot {
    std::string pass; // empty before the first pass
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };

  std::vector<Snapshot> snapshots(mlir::func::FuncOp layers) const;
  mlir::LogicalResult lower(mlir::ModuleOp module, StageObserver *observer) const;
  /// Runs a copy of the module without the skipped passes, then runs the program.
  Outputs complete(mlir::ModuleOp module, llvm::StringSet<> skipped,
                   llvm::ArrayRef<Datum> inputs) const;

  const accelerators::Accelerator &device;
  StageObserver *injected;
};

} // namespace convoy::check
