// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// U is the number of pairs in which the value of a is larger; a tie counts as a half. For few
// values, the distribution of U is counted; for many values, U is approximately normal.

#include "RankTest.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace convoy::tuning {
namespace {

// Above this number of pairs, the normal approximation is accurate to three digits.
constexpr size_t kMostExactPairs = 400;

/// Returns the share of the orders of n and m values for each value of U. Removing the largest
/// value leaves an order with one value less:
///   f(n, m, u) = f(n - 1, m, u - m) + f(n, m - 1, u)
std::vector<double> distribution(size_t n, size_t m) {
  std::vector<std::vector<double>> row(m + 1, std::vector<double>(n * m + 1, 0.0));
  for (std::vector<double> &counts : row) {
    counts[0] = 1; // for an empty a
  }
  for (size_t i = 1; i <= n; ++i) {
    std::vector<std::vector<double>> next(m + 1, std::vector<double>(n * m + 1, 0.0));
    next[0][0] = 1;
    for (size_t j = 1; j <= m; ++j) {
      for (size_t u = 0; u <= i * j; ++u) {
        next[j][u] = (u >= j ? row[j][u - j] : 0.0) + next[j - 1][u];
      }
    }
    row = std::move(next);
  }
  double all = 0;
  for (double count : row[m]) {
    all += count;
  }
  for (double &count : row[m]) {
    count /= all;
  }
  return row[m];
}

double exact(size_t n, size_t m, double u) {
  double less = std::min(u, static_cast<double>(n * m) - u);
  std::vector<double> shares = distribution(n, m);
  double tail = 0;
  for (size_t i = 0; static_cast<double>(i) <= less; ++i) {
    tail += shares[i];
  }
  return std::min(1.0, 2 * tail);
}

/// Returns the sum of t^3 - t over groups of t equal values.
double tieTerm(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  std::map<double, double> counts;
  for (llvm::ArrayRef<double> values : {a, b}) {
    for (double value : values) {
      ++counts[value];
    }
  }
  double sum = 0;
  for (const auto &[value, count] : counts) {
    sum += count * count * count - count;
  }
  return sum;
}

} // namespace

double mannWhitney(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  if (a.empty() || b.empty()) {
    return 1;
  }
  double u = 0;
  for (double x : a) {
    for (double y : b) {
      u += x > y ? 1.0 : x == y ? 0.5 : 0.0;
    }
  }
  auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  double ties = tieTerm(a, b);
  if (ties == 0 && a.size() * b.size() <= kMostExactPairs) {
    return exact(a.size(), b.size(), u);
  }
  double all = n + m;
  double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
  if (variance <= 0) {
    return 1; // All values are equal.
  }
  double distance = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

} // namespace convoy::tuning
