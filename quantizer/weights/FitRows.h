// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds rows of weights that share the products of their inputs. FitWeights.cpp calls it per
// layer and group.

#pragma once

#include "quantizer/weights/LinearAlgebra.h"
#include <optional>

namespace convoy::quantizer {

/// The order of the taps and the factor of the inverse of their products. All rows of a group use
/// the same object.
class RoundingOrder {
public:
  /// `products` is X'X, row-major. Returns nothing if the inputs are zero or not finite.
  static std::optional<RoundingOrder> create(const std::vector<double> &products, int64_t taps,
                                             int64_t positions);

  /// Rounds a row to multiples of each scale. The sum of squared errors of the layer's output per
  /// position is written to `losses`, one per scale. If there is one scale and `integers` is not
  /// null, it receives the integers.
  void round(const double *weights, const std::vector<double> &scales, double highest,
             std::vector<double> &losses, double *integers = nullptr) const;

  /// Returns the loss of rounding to nearest without the products of different taps.
  double diagonalLoss(const double *weights, double scale, double highest) const;

private:
  RoundingOrder(std::vector<int64_t> order, std::vector<double> diagonal, SquareMatrix factor)
      : order(std::move(order)), diagonal(std::move(diagonal)), factor(std::move(factor)) {}

  std::vector<int64_t> order; // taps by decreasing diagonal
  std::vector<double> diagonal;
  SquareMatrix factor; // U of factorOfInverse
};

/// Rows of weights, row-major, with one group of inputs.
struct WeightRows {
  std::vector<double> weights;
  int64_t rows = 0, taps = 0;
};

/// The factors of the scale of the largest weight that are tried, from 1 downwards.
std::vector<double> scaleFactors(double highest);

/// Returns the losses per row and factor; rows x factors. Rows are relative to `scales`, the scales
/// of their largest weights.
std::vector<std::vector<double>> lossesOf(const WeightRows &group, const RoundingOrder &order,
                                          const std::vector<double> &scales, double highest,
                                          const std::vector<double> &factors);

} // namespace convoy::quantizer
