// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a product into tiles. Row tiles have nearly equal sizes, so the code has two kinds of
// them. The columns that do not fill a panel have a panel of their own.

#include "Kernels/Product/ProductPlan.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/LaneMemory.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Returns the vectors that cover `columns` columns. The last vector overlaps the vector before it.
/// If the columns do not fill a vector, the vectors have fewer lanes. A panel has no vector that
/// reaches into another panel, because two steps must not write the same bytes.
PanelVectors vectorsOf(int64_t columns, int64_t lanes) {
  PanelVectors result;
  if (columns == 0) {
    return result;
  }
  result.lanes = widthFor(columns, lanes);
  for (int64_t first = 0; first < columns; first += result.lanes) {
    result.columns.push_back(std::min(first, columns - result.lanes));
    result.offsets.push_back(first);
  }
  result.width = result.offsets.back() + result.lanes;
  return result;
}

bool isF32(Value value) { return cast<TensorType>(value.getType()).getElementType().isF32(); }

} // namespace

ProductPlan::ProductPlan(const ProductKernel &product, ProductAttr config, int64_t lanes) {
  tiles = ceilDiv(product.rows, std::min(config.getRows(), product.rows));
  rows = ceilDiv(product.rows, tiles);
  largeTiles = product.rows - (rows - 1) * tiles;
  panelColumns = config.getVectors() * lanes;
  panels = ceilDiv(product.columns, panelColumns);
  fullPanels = product.columns / panelColumns;
  full = vectorsOf(panelColumns, lanes);
  rest = vectorsOf(product.columns % panelColumns, lanes);
  panelsPerStep = std::min(ceilDiv(config.getColumns(), panelColumns), panels);
  columnSteps = ceilDiv(panels, panelsPerStep);
  depth = std::min(config.getDepth(), product.depth);
  passes = ceilDiv(product.depth, depth);
  isPacked = config.getPack() != 0;
}

bool canReadInPlace(const ProductKernel &product) {
  return product.isRightF32 && (product.rightColumn == 1 || product.columns == 1);
}

std::string whyNotProduct(const ProductKernel &product, Block &body, ProductAttr config) {
  if (config.getPack() == 0 && !canReadInPlace(product)) {
    return "the columns of the right factor are not contiguous f32, so pack must be 1";
  }
  if (config.getDepth() >= product.depth) {
    return "";
  }
  if (product.depth % config.getDepth() != 0) {
    return "the product sums " + std::to_string(product.depth) +
           " elements, which passes of depth = " + std::to_string(config.getDepth()) +
           " do not divide";
  }
  bool keepsSums = isF32(product.op.getResult()) && isF32(body.getTerminator()->getOperand(0)) &&
                   (product.resultColumn == 1 || product.columns == 1);
  return keepsSums ? "" : "the result cannot hold partial sums, so depth must cover the product";
}

} // namespace convoy::kernels
