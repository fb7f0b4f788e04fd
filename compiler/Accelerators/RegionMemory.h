// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a region on a device with one flat memory: constants first, as the
// image of the program, then activations by the shared planner.

#pragma once

#include "Accelerators/Program.h"
#include "Memory/Planner.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::accelerators {

struct RegionMemory {
  llvm::DenseMap<mlir::Value, MemoryRange> ranges; // of every value
  std::vector<uint8_t> image;
  int64_t bytes = 0; // in all

  int64_t addressOf(mlir::Value value) const { return ranges.lookup(value).address; }
};

/// Places all values of a region's function. Arguments live from the start, results to
/// the end; others share bytes when they are not needed at the same time. `bytesOf` says
/// what an activation takes on the device; constants are stored as they are. Emits an
/// error when the memory is too small.
mlir::FailureOr<RegionMemory> planRegion(mlir::func::FuncOp region, const memory::Space &space,
                                         llvm::function_ref<int64_t(mlir::Value)> bytesOf);

} // namespace convoy::accelerators
