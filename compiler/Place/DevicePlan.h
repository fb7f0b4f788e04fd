// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops of a function a device runs, in which regions, and why the other ops stay on the CPU.
// The plan lowers ops to convcore and fuses them on trial, asks the device about the fused layers,
// and repeats the trial without the refused ops.

#pragma once

#include "Accelerators/Accelerator.h"
#include "convoy/request.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace convoy::accelerators {
class LayerFunction;
} // namespace convoy::accelerators

namespace convoy::place {

/// The placement of one op.
struct Placement {
  mlir::Operation *op = nullptr;
  /// Number of the region, or -1 for the CPU.
  int64_t region = -1;
  /// Why the op stays on the CPU.
  accelerators::Refusal refusal;
  /// Numbers of the ops that the device runs as one layer with this op, including its own.
  std::vector<int64_t> fusedWith;
  /// The op's share of the estimated time of its fused layer on the device.
  double deviceNs = 0;
  /// Whether the device supports it and PlacePolicy::Fastest keeps it on the CPU.
  bool isSlower = false;
};

class DevicePlan {
public:
  DevicePlan(mlir::func::FuncOp function, const accelerators::Accelerator &device,
             PlacePolicy policy = PlacePolicy::All);

  /// Returns all ops except constants and the terminator, in order.
  llvm::ArrayRef<Placement> placements() const { return list; }
  int64_t regionCount() const { return regions; }
  /// Returns the ops of a region, in order.
  std::vector<mlir::Operation *> opsOf(int64_t region) const;

private:
  bool tryOnce();
  bool addTaken(accelerators::LayerFunction &trial);
  llvm::SmallVector<mlir::Value> neededValues() const;
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
  std::vector<bool> isIdle; // the op's layers only move elements
  int64_t regions = 0;
};

} // namespace convoy::place
