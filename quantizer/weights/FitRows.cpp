// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The closed form of E. Frantar and D. Alistarh, "Optimal brain compression" (2022), in the fixed
// order of "GPTQ" (2022): taps are rounded one after the other, and after each the weights that
// are not rounded yet move so that the error of the layer's output is smallest. With H = X'X and
// inverse(H) = U'U, the step for tap i is
//
//     e = (w[i] - rounded) / U[i][i];    w[j] -= e * U[i][j] for all j > i
//
// and the sum of e^2 is the squared error of the output.

#include "quantizer/weights/FitRows.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace convoy::quantizer {
namespace {

/// Added to the diagonal, relative to its mean, so that inputs that depend on each other have an
/// inverse and the weights do not grow.
constexpr double kDamping = 0.01;
/// Multiplications for the search of scales of one group; beyond, fewer scales are tried.
constexpr double kMostWork = 1e9;

double roundTo(double value, double inverseScale, double highest) {
  return std::clamp(std::nearbyint(value * inverseScale), -highest, highest);
}

} // namespace

std::optional<RoundingOrder> RoundingOrder::create(const std::vector<double> &products,
                                                   int64_t taps, int64_t positions) {
  if (positions <= 0 || static_cast<int64_t>(products.size()) != taps * taps) {
    return std::nullopt;
  }
  double scale = 1 / static_cast<double>(positions), trace = 0;
  std::vector<double> diagonal(taps);
  for (int64_t i = 0; i < taps; ++i) {
    diagonal[i] = products[i * taps + i] * scale;
    trace += diagonal[i];
  }
  if (!(trace > 0) || !std::isfinite(trace)) {
    return std::nullopt;
  }
  std::vector<int64_t> order(taps);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return diagonal[a] != diagonal[b] ? diagonal[a] > diagonal[b] : a < b;
  });
  double damping = kDamping * trace / static_cast<double>(taps);
  SquareMatrix sorted(taps);
  for (int64_t i = 0; i < taps; ++i) {
    for (int64_t j = 0; j < taps; ++j) {
      sorted.row(i)[j] = products[order[i] * taps + order[j]] * scale + (i == j ? damping : 0);
    }
    diagonal[order[i]] += damping;
  }
  SquareMatrix factor = factorOfInverse(sorted);
  if (factor.size() == 0) {
    return std::nullopt;
  }
  return RoundingOrder(std::move(order), std::move(diagonal), std::move(factor));
}

void RoundingOrder::round(const double *weights, const std::vector<double> &scales, double highest,
                          std::vector<double> &losses, double *integers) const {
  int64_t taps = factor.size();
  // One copy of the row per scale. All copies advance together, so that a row of the factor is
  // read once.
  std::vector<std::vector<double>> copies(scales.size(), std::vector<double>(taps));
  for (int64_t i = 0; i < taps; ++i) {
    copies[0][i] = weights[order[i]];
  }
  std::fill(copies.begin() + 1, copies.end(), copies[0]);
  losses.assign(scales.size(), 0);
  for (int64_t i = 0; i < taps; ++i) {
    const double *row = factor.row(i);
    for (size_t k = 0; k < scales.size(); ++k) {
      double *copy = copies[k].data();
      double integer = roundTo(copy[i], 1 / scales[k], highest);
      double error = (copy[i] - integer * scales[k]) / row[i];
      losses[k] += error * error;
      if (integers) {
        integers[order[i]] = integer;
      }
      subtractMultiple(copy + i + 1, error, row + i + 1, taps - i - 1);
    }
  }
}

double RoundingOrder::diagonalLoss(const double *weights, double scale, double highest) const {
  double sum = 0, inverse = 1 / scale;
  for (int64_t i = 0; i < factor.size(); ++i) {
    double error = weights[i] - roundTo(weights[i], inverse, highest) * scale;
    sum += diagonal[i] * error * error;
  }
  return sum;
}

std::vector<double> scaleFactors(double highest) {
  // Few levels gain most from a smaller scale. With 8 bits the gain is small and near 1.
  bool isNarrow = highest < 64;
  int count = isNarrow ? 60 : 40;
  double least = isNarrow ? 0.4 : 0.8;
  std::vector<double> factors(count);
  for (int i = 0; i < count; ++i) {
    factors[i] = 1 - (1 - least) * i / count;
  }
  return factors;
}

std::vector<std::vector<double>> lossesOf(const WeightRows &group, const RoundingOrder &order,
                                          const std::vector<double> &scales, double highest,
                                          const std::vector<double> &factors) {
  double work = static_cast<double>(group.rows) * static_cast<double>(group.taps) *
                static_cast<double>(group.taps) / 2;
  auto tried = static_cast<size_t>(
      std::clamp<double>(kMostWork / work, 1, static_cast<double>(factors.size())));
  std::vector<std::vector<double>> result;
  for (int64_t row = 0; row < group.rows; ++row) {
    const double *weights = group.weights.data() + row * group.taps;
    std::vector<size_t> chosen(factors.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    if (tried < factors.size()) {
      std::vector<double> losses;
      for (double factor : factors) {
        losses.push_back(order.diagonalLoss(weights, scales[row] * factor, highest));
      }
      std::sort(chosen.begin(), chosen.end(), [&](size_t a, size_t b) {
        return losses[a] != losses[b] ? losses[a] < losses[b] : a < b;
      });
      chosen.resize(tried);
    }
    std::vector<double> candidates, losses;
    for (size_t index : chosen) {
      candidates.push_back(scales[row] * factors[index]);
    }
    order.round(weights, candidates, highest, losses);
    std::vector<double> all(factors.size(), std::numeric_limits<double>::infinity());
    for (size_t i = 0; i < chosen.size(); ++i) {
      all[chosen[i]] = losses[i];
    }
    result.push_back(std::move(all));
  }
  return result;
}

} // namespace convoy::quantizer
