// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of a step with one panel of a packed matrix.

#pragma once

#include "Kernels/Core/IndexMath.h"
#include "Kernels/Kernel.h"
#include "Kernels/Loops/KernelEmitter.h"

namespace convoy::kernels {

/// The memory and the sizes of a product of a step.
struct PanelProduct {
  mlir::Value weights, input, result;
  int64_t depth;
  int64_t columns;
};

class PanelEmitter : private IndexMath {
public:
  PanelEmitter(KernelEmitter &elements, RecurrentAttr config, int64_t lanes)
      : IndexMath(elements.b), elements(elements), config(config), lanes(lanes),
        rows(config.getUnroll()), width(config.getVectors() * lanes),
        vector(mlir::VectorType::get({lanes}, elements.b.getF32Type())) {}

  /// Computes `vectors` vectors of the columns of a panel, for the rows of a task from `firstRow`
  /// on. The last vector of a row may extend beyond the row.
  void emit(const PanelProduct &product, mlir::Value firstRow, mlir::Value panel, int64_t vectors);

private:
  /// The micro-kernel: sums += `count` elements of each row times their rows of the panel.
  void accumulate(const PanelProduct &product, mlir::Value firstRow, mlir::Value depth,
                  mlir::Value panel, int64_t count, llvm::SmallVector<mlir::Value> &sums);

  KernelEmitter &elements;
  RecurrentAttr config;
  int64_t lanes;
  int64_t rows;
  int64_t width; // columns of a panel
  mlir::VectorType vector;
};

} // namespace convoy::kernels
