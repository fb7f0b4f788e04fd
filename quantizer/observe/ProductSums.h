// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums the products of rows: X'X. ObserveProducts.cpp has one object per layer and thread.

#pragma once

#include "quantizer/observe/LayerInputs.h"
#include "quantizer/observe/Observe.h"

namespace convoy::quantizer {

class ProductSums {
public:
  /// `hasProducts` is false for layers with too many taps; then only the sums are collected.
  ProductSums(const LayerGeometry &geometry, bool hasProducts);

  /// Returns the memory of the next row. Group g begins at g * stride().
  float *nextRow();
  int64_t stride() const { return padded; }

  /// Adds the rows that are left, and the rows of another object.
  void merge(ProductSums &other);
  /// Returns the sums; the object must not be used afterwards.
  InputProducts take();

  /// Returns the bytes of an object with this geometry.
  static int64_t bytesFor(const LayerGeometry &geometry, bool hasProducts);

private:
  void flush();

  int64_t groups, taps, padded;
  int64_t positions = 0, waiting = 0;
  std::vector<float> rows;
  /// Per group: padded x padded, the tiles on and above the diagonal.
  std::vector<std::vector<double>> products;
  std::vector<std::vector<double>> sums;
};

} // namespace convoy::quantizer
