// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a matrix in memory to panels of f32, the order in which TileEmitter reads its right
// factor:
//
//     matrix, depth 3, 5 columns     a b c d e      panel 0 (4 columns)     panel 1 (1 column)
//                                    f g h i j      a b c d                 e
//                                    k l m n o      f g h i                 j
//                                                   k l m n                 o
//
// If the depth is contiguous in memory, the code transposes squares in registers. Templates of
// products use the class; they choose the panels and own the scratch memory.

#pragma once

#include "Kernels/Loops/Registers.h"

namespace convoy::kernels {

/// A matrix in memory: element (k, j) is at offset + k * depthStride + j * columnStride.
struct PackedMatrix {
  Buffer memory;
  mlir::Value offset;
  int64_t depth = 0;
  int64_t depthStride = 1;
  int64_t columnStride = 1;
};

/// The vectors of a panel that have the same number of lanes.
struct PanelVectors {
  int64_t lanes = 1;
  /// The first column of each vector in the matrix, and its offset in a row of the panel.
  llvm::SmallVector<int64_t> columns;
  llvm::SmallVector<int64_t> offsets;
  /// The elements of a row of the panel.
  int64_t width = 0;

  int64_t count() const { return static_cast<int64_t>(columns.size()); }
};

/// Emits the copy of the columns `first` + vectors.columns[i] of the matrix to a panel that starts
/// at `to` of `panel`, a memref of f32.
void packPanel(mlir::ImplicitLocOpBuilder &b, const PackedMatrix &matrix, mlir::Value first,
               const PanelVectors &vectors, mlir::Value panel, mlir::Value to);

/// Returns the transposed matrix of `rows`: element j of row i becomes element i of result j. The
/// rows are vectors. The number of rows and of elements per row are powers of two, and a row has at
/// most as many elements as there are rows.
llvm::SmallVector<mlir::Value> transposeRows(mlir::ImplicitLocOpBuilder &b,
                                             llvm::SmallVector<mlir::Value> rows);

} // namespace convoy::kernels
