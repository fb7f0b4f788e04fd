// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that only transpose matrices of 32-bit elements: reorders between planar and blocked
// layouts, and transposes that swap two groups of adjacent dimensions. The generic loops copy them
// in square tiles that are transposed in registers, because a gather loads its lanes one by one.

#pragma once

#include "Kernels/KernelTemplate.h"

namespace convoy::kernels {

/// Equal matrices one after another, each of which is transposed:
///
///     out[y][x] = in[x][y]    or, if `readsAlong`,    out[x][y] = in[y][x]
///
/// The lanes of the source or of the result run along x, the longer way of a block of channels.
struct TransposedCopy {
  int64_t matrices = 1;
  int64_t along = 0;  // elements along x
  int64_t across = 0; // elements along y
  /// The matrices are parts of `blocksOf` rows along y with `across` rows each, and the last part
  /// may be shorter. 0: no parts.
  int64_t blocksOf = 0;
  bool readsAlong = false; // x is contiguous in the source
};

/// Returns the copy from a tensor to a tensor of the same elements in another layout, or nullopt if
/// the machine has no form for it.
std::optional<TransposedCopy> reorderedCopy(mlir::RankedTensorType from, mlir::RankedTensorType to,
                                            const Machine &machine);

/// Returns the copy that a kernel of a single reorder or transpose is, or nullopt.
std::optional<TransposedCopy> transposedCopy(mlir::Block &body, const Machine &machine);

/// Estimated cycles per element.
constexpr double kTransposedCopyCycles = 0.5;

/// Lowers the kernel function of a copy.
void lowerTransposedCopy(task::KernelOp kernel, const TransposedCopy &copy, const Machine &machine);

} // namespace convoy::kernels
