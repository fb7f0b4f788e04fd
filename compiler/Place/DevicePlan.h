// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops of a function a device runs, in which regions, and why the others stay
// on the CPU. The device is asked about what it would really run: ops are lowered to
// convcore and fused on trial, and what is refused is left out of the next trial.

#pragma once

#include "Accelerators/Accelerator.h"
#include "convoy/request.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace convoy::place {

/// What becomes of one op.
struct Placement {
  mlir::Operation *op = nullptr;
  /// The region, or -1 for the CPU.
  int64_t region = -1;
  /// Why it stays on the CPU.
  accelerators::Refusal refusal;
  /// Numbers of the ops that the device runs as one with it, its own included.
  std::vector<int64_t> fusedWith;
  /// What the device is estimated to take for its share of what it is fused into.
  double deviceNs = 0;
  /// Whether the device supports it and PlacePolicy::Fastest keeps it on the CPU.
  bool isSlower = false;
};

class DevicePlan {
public:
  DevicePlan(mlir::func::FuncOp function, const accelerators::Accelerator &device,
             PlacePolicy policy = PlacePolicy::All);

  /// All ops but constants and the terminator, in order.
  llvm::ArrayRef<Placement> placements() const { return list; }
  int64_t regionCount() const { return regions; }
  /// The ops of a region, in order.
  std::vector<mlir::Operation *> opsOf(int64_t region) const;

private:
  bool tryOnce();
  void keepWhole();
  void refuse(mlir::Operation *layer, const accelerators::Refusal &refusal);
  void readTrial(mlir::func::FuncOp trial);
  void findRegions();
  void dropIdleRegions();
  void dropSlowerRegions();
  void renumberRegions(llvm::ArrayRef<bool> isKept);

  mlir::func::FuncOp function;
  const accelerators::Accelerator &device;
  std::vector<Placement> list;
  std::vector<bool> isTaken;
  std::vector<bool> isIdle; // nothing but moved elements
  int64_t regions = 0;
};

} // namespace convoy::place
