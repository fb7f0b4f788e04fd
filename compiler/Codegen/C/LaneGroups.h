// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the vector ops of a block into loops over lanes, for compilers without vector types:
//
//     %w = vector.load %weights[%i]            for (l = 0; l < 16; ++l) {
//     %s = memref.load %x[%j]                    const float w = weights[i + l];
//     %y = math.fma(broadcast %s, %w, %acc)      acc[l] = fmaf(s, w, acc[l]);
//                                              }
//
// The scalar load is moved before the loop. A loop runs all its ops on lane 0, then all on
// lane 1, and so on. Therefore no op may access memory that another op of the same loop
// accesses in a different lane.

#pragma once

#include "Codegen/C/Inlining.h"

namespace convoy::codegen {

/// The ops of a block in print order: a group of several ops in one loop, or a single op.
struct LaneGroup {
  llvm::SmallVector<mlir::Operation *> ops;
  /// 0 if the op is not in a loop over lanes.
  int64_t lanes = 0;
};

/// Returns whether the op does the same in every lane.
bool isLaneOp(mlir::Operation *op);

std::vector<LaneGroup> groupLanes(mlir::Block &block, const Inlining &inlining);

} // namespace convoy::codegen
