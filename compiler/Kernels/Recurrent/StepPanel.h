// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of a step with one panel of a packed matrix.

#pragma once

#include "Kernels/Core/LoopNest.h"
#include "Kernels/Kernel.h"
#include "Kernels/Loops/KernelEmitter.h"

namespace convoy::kernels {

/// The memory and the sizes of a product of a step.
struct PanelProduct {
  mlir::Value weights, input, result;
  int64_t depth;
  int64_t columns;
};

class PanelEmitter : private LoopNest {
public:
  PanelEmitter(KernelEmitter &elements, RecurrentAttr config, int64_t lanes)
      : LoopNest(elements.b), config(config), lanes(lanes), rows(config.getUnroll()),
        width(config.getVectors() * lanes) {}

  /// Computes `vectors` vectors of the columns of a panel, for the rows of a task from `firstRow`
  /// on. The last vector of a row may extend beyond the row.
  void emit(const PanelProduct &product, mlir::Value firstRow, mlir::Value panel, int64_t vectors);

private:
  RecurrentAttr config;
  int64_t lanes;
  int64_t rows;
  int64_t width; // columns of a panel
};

} // namespace convoy::kernels
