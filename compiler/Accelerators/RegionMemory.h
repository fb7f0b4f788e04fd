// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the memory of a region on a device with one flat memory. Constants come first and form the
// program's image; the shared planner places activations behind them.

#pragma once

#include "Accelerators/Program.h"
#include "Memory/Planner/Planner.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::accelerators {

struct RegionMemory {
  llvm::DenseMap<mlir::Value, MemoryRange> ranges; // address range of every value
  std::vector<uint8_t> image;
  int64_t bytes = 0; // total size

  int64_t addressOf(mlir::Value value) const { return ranges.lookup(value).address; }
};

/// Places all values of a region's function. Arguments are live from the start and results are live
/// to the end; other values share bytes if their live ranges do not overlap. `bytesOf` returns the
/// size of an activation on the device; constants are stored unchanged. Emits an error if the
/// memory is too small.
mlir::FailureOr<RegionMemory> planRegion(mlir::func::FuncOp region, const memory::Space &space,
                                         llvm::function_ref<int64_t(mlir::Value)> bytesOf);

} // namespace convoy::accelerators
