// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers the vector ops of a block into loops over lanes, for compilers without
// vector types:
//
//     %w = vector.load %weights[%i]            for (l = 0; l < 16; ++l) {
//     %s = memref.load %x[%j]                    const float w = weights[i + l];
//     %y = math.fma(broadcast %s, %w, %acc)      acc[l] = fmaf(s, w, acc[l]);
//                                              }
//
// with the scalar load moved before the loop. One loop runs all its ops on lane 0,
// then all on lane 1: no op may touch memory that another of the loop touches at
// another lane.

#pragma once

#include "Codegen/C/Inlining.h"

namespace convoy::codegen {

/// Ops of a block in the order in which they are printed: a group of several, in one
/// loop, or an op alone.
struct LaneGroup {
  llvm::SmallVector<mlir::Operation *> ops;
  /// 0 for an op that is no loop over lanes.
  int64_t lanes = 0;
};

/// Whether the op does the same in every lane.
bool isLaneOp(mlir::Operation *op);

std::vector<LaneGroup> groupLanes(mlir::Block &block, const Inlining &inlining);

} // namespace convoy::codegen
