// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the linear algebra and the rounding of rows on random inputs that depend on each other.

#include "quantizer/weights/FitRows.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace convoy::quantizer;

namespace {

class Random {
public:
  explicit Random(uint64_t seed) : random(seed) {}
  /// Returns a number between -1 and 1.
  double next() { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; }

private:
  std::mt19937_64 random;
};

/// Returns X'X of inputs that depend on each other as neighboring pixels do.
std::vector<double> correlatedProducts(int64_t taps, int64_t positions, uint64_t seed) {
  Random random(seed);
  std::vector<double> products(taps * taps);
  std::vector<double> x(taps);
  for (int64_t position = 0; position < positions; ++position) {
    double common = random.next() + 0.5;
    for (int64_t i = 0; i < taps; ++i) {
      x[i] = common + 0.4 * random.next() + (i > 0 ? 0.5 * x[i - 1] : 0);
    }
    for (int64_t i = 0; i < taps; ++i) {
      for (int64_t j = 0; j < taps; ++j) {
        products[i * taps + j] += x[i] * x[j];
      }
    }
  }
  return products;
}

std::vector<double> randomRow(int64_t taps, uint64_t seed) {
  Random random(seed);
  std::vector<double> row(taps);
  for (double &weight : row) {
    weight = random.next();
  }
  return row;
}

/// Returns d'Hd / positions, with the damping of RoundingOrder.
double errorOf(const std::vector<double> &products, int64_t taps, int64_t positions,
               const std::vector<double> &difference) {
  double trace = 0, sum = 0;
  for (int64_t i = 0; i < taps; ++i) {
    trace += products[i * taps + i];
  }
  for (int64_t i = 0; i < taps; ++i) {
    for (int64_t j = 0; j < taps; ++j) {
      double damping = i == j ? 0.01 * trace / static_cast<double>(taps) : 0;
      sum += difference[i] * difference[j] * (products[i * taps + j] + damping);
    }
  }
  return sum / static_cast<double>(positions);
}

double nearest(double weight, double scale, double highest) {
  return std::min(std::max(std::nearbyint(weight / scale), -highest), highest);
}

TEST(LinearAlgebra, CholeskyFactorsTheMatrix) {
  for (int64_t n : {1, 5, 31, 32, 33, 80}) {
    std::vector<double> products = correlatedProducts(n, 3 * n, 1);
    SquareMatrix matrix(n);
    std::copy(products.begin(), products.end(), matrix.row(0));
    ASSERT_TRUE(factorCholesky(matrix));
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i; j < n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k <= i; ++k) {
          sum += matrix.row(k)[i] * matrix.row(k)[j];
        }
        EXPECT_NEAR(sum, products[i * n + j], 1e-9 * products[0]);
      }
    }
  }
}

TEST(LinearAlgebra, CholeskyRefusesOtherMatrices) {
  SquareMatrix matrix(2);
  matrix.row(0)[0] = matrix.row(1)[1] = 1;
  matrix.row(0)[1] = 2;
  EXPECT_FALSE(factorCholesky(matrix));
  SquareMatrix zero(3);
  EXPECT_FALSE(factorCholesky(zero));
  EXPECT_EQ(factorOfInverse(SquareMatrix(3)).size(), 0);
}

TEST(LinearAlgebra, FactorOfTheInverse) {
  int64_t n = 45;
  std::vector<double> products = correlatedProducts(n, 4 * n, 2);
  SquareMatrix matrix(n);
  std::copy(products.begin(), products.end(), matrix.row(0));
  SquareMatrix U = factorOfInverse(matrix);
  // U A U' is the identity.
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t k = i; k < n; ++k) {
        for (int64_t l = j; l < n; ++l) {
          sum += U.row(i)[k] * products[k * n + l] * U.row(j)[l];
        }
      }
      EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-8) << i << " " << j;
    }
  }
}

TEST(RoundingOrder, LossIsTheErrorOfTheOutput) {
  int64_t taps = 36, positions = 300;
  std::vector<double> products = correlatedProducts(taps, positions, 3);
  auto order = RoundingOrder::create(products, taps, positions);
  ASSERT_TRUE(order.has_value());
  std::vector<double> row = randomRow(taps, 4), integers(taps), losses;
  order->round(row.data(), {0.1}, 7, losses, integers.data());
  std::vector<double> difference(taps);
  for (int64_t i = 0; i < taps; ++i) {
    difference[i] = row[i] - integers[i] * 0.1;
  }
  EXPECT_NEAR(losses[0], errorOf(products, taps, positions, difference), 1e-9);
}

TEST(RoundingOrder, LosesLessThanRoundingToNearest) {
  int64_t taps = 48, positions = 400;
  double better = 0, all = 0;
  for (uint64_t seed = 10; seed < 40; ++seed) {
    std::vector<double> products = correlatedProducts(taps, positions, seed);
    auto order = RoundingOrder::create(products, taps, positions);
    std::vector<double> row = randomRow(taps, seed + 100), difference(taps), losses;
    double scale = 1.0 / 7;
    order->round(row.data(), {scale}, 7, losses);
    for (int64_t i = 0; i < taps; ++i) {
      difference[i] = row[i] - nearest(row[i], scale, 7) * scale;
    }
    double before = errorOf(products, taps, positions, difference);
    EXPECT_LE(losses[0], before * 1.000001) << seed;
    better += losses[0] / before;
    ++all;
  }
  EXPECT_LT(better / all, 0.5);
}

TEST(RoundingOrder, IndependentInputsAreRoundedToNearest) {
  int64_t taps = 20;
  std::vector<double> products(taps * taps);
  for (int64_t i = 0; i < taps; ++i) {
    products[i * taps + i] = static_cast<double>(5 + i % 3);
  }
  auto order = RoundingOrder::create(products, taps, 10);
  std::vector<double> row = randomRow(taps, 5), integers(taps), losses;
  order->round(row.data(), {0.1}, 7, losses, integers.data());
  for (int64_t i = 0; i < taps; ++i) {
    EXPECT_EQ(integers[i], nearest(row[i], 0.1, 7));
  }
  EXPECT_NEAR(losses[0], order->diagonalLoss(row.data(), 0.1, 7), 1e-12);
}

TEST(RoundingOrder, IntegersStayInTheRange) {
  int64_t taps = 40, positions = 60;
  auto order = RoundingOrder::create(correlatedProducts(taps, positions, 6), taps, positions);
  std::vector<double> row = randomRow(taps, 7), integers(taps), losses;
  for (double scale : {0.5, 0.1, 0.01}) {
    order->round(row.data(), {scale}, 7, losses, integers.data());
    for (double integer : integers) {
      EXPECT_LE(std::abs(integer), 7);
      EXPECT_EQ(integer, std::nearbyint(integer));
    }
  }
}

TEST(RoundingOrder, ScalesTogetherEqualScalesAlone) {
  int64_t taps = 30, positions = 100;
  auto order = RoundingOrder::create(correlatedProducts(taps, positions, 8), taps, positions);
  std::vector<double> row = randomRow(taps, 9), together, alone;
  std::vector<double> scales{0.2, 0.15, 0.1};
  order->round(row.data(), scales, 7, together);
  for (size_t i = 0; i < scales.size(); ++i) {
    order->round(row.data(), {scales[i]}, 7, alone);
    EXPECT_EQ(alone[0], together[i]);
  }
}

TEST(RoundingOrder, InputsWithoutValuesHaveNoOrder) {
  EXPECT_FALSE(RoundingOrder::create(std::vector<double>(9), 3, 10).has_value());
  EXPECT_FALSE(RoundingOrder::create({1}, 1, 0).has_value());
  EXPECT_FALSE(RoundingOrder::create({}, 3, 10).has_value());
  EXPECT_FALSE(RoundingOrder::create({std::nan("")}, 1, 10).has_value());
  // Inputs that are equal have an inverse by the damping.
  EXPECT_TRUE(RoundingOrder::create({4, 4, 4, 4}, 2, 1).has_value());
}

TEST(LossesOf, HasOneLossPerRowAndFactor) {
  int64_t taps = 24, positions = 200;
  auto order = RoundingOrder::create(correlatedProducts(taps, positions, 11), taps, positions);
  WeightRows rows{randomRow(2 * taps, 12), 2, taps};
  std::vector<double> factors = scaleFactors(7);
  EXPECT_EQ(factors.front(), 1);
  EXPECT_GT(factors.back(), 0.3);
  auto losses = lossesOf(rows, *order, {0.1, 0.12}, 7, factors);
  ASSERT_EQ(losses.size(), 2u);
  ASSERT_EQ(losses[1].size(), factors.size());
  std::vector<double> expected;
  order->round(rows.weights.data() + taps, {0.12 * factors[3]}, 7, expected);
  EXPECT_EQ(losses[1][3], expected[0]);
}

} // namespace
