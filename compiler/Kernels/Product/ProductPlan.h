// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The split of a product into steps, panels and register tiles, and the cost model of the template
// `product`:
//
//     128 x 36, 13 rows and 2 vectors of 16 lanes per tile
//     rows     9 tiles of 13 rows, 1 tile of 11 rows
//     columns  1 panel of 32 columns, 1 panel of 4 columns with vectors of 4 lanes

#pragma once

#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Kernels/Product/PackPanels.h"
#include "Kernels/Product/ProductKernel.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

struct ProductPlan {
  ProductPlan(const ProductKernel &product, ProductAttr config, int64_t lanes);

  // Row tiles: `largeTiles` tiles of `rows` rows, then tiles of `rows` - 1 rows.
  int64_t tiles, rows, largeTiles;
  // Panels of columns: `fullPanels` like `full`, then one like `rest` if it has vectors.
  int64_t panelColumns, panels, fullPanels;
  PanelVectors full, rest;
  int64_t panelsPerStep, columnSteps;
  int64_t depth, passes;
  bool isPacked;

  /// Returns the number of steps of the kernel's range. The `tiles` steps of one group of panels
  /// are adjacent.
  int64_t range(const ProductKernel &product) const {
    return product.batches() * columnSteps * tiles;
  }
};

/// Returns the reason why a configuration does not fit a product, or an empty string.
std::string whyNotProduct(const ProductKernel &product, mlir::Block &body, ProductAttr config);

/// Returns whether the right factor can be read in place: its lanes are contiguous f32.
bool canReadInPlace(const ProductKernel &product);

/// Returns the configuration with the lowest estimate.
std::optional<ConfigChoice> chooseProduct(const ProductKernel &product, const Machine &machine,
                                          mlir::MLIRContext *context);

/// Returns the search space; its point with the fewest cycles is the choice above.
Space productSpace(const ProductKernel &product, mlir::Block &body, const Machine &machine,
                   mlir::MLIRContext *context);

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerProduct(task::KernelOp kernel, const ProductKernel &product,
                                 ProductAttr config, const Machine &machine);

} // namespace convoy::kernels
