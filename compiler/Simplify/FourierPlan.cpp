// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a plan is the time of its products and of the passes over its intermediate results.
// The unit is one multiply-add of a product of large matrices; the other costs were measured in
// this unit on one thread with AVX-512.

#include "Simplify/FourierPlan.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace convoy::simplify {
namespace {

/// The largest constant of a plan in elements. Larger constants make models of hundreds of
/// megabytes.
constexpr int64_t kMostElements = int64_t(1) << 23;
/// The largest factor whose matrix of complex numbers is not too large.
constexpr int64_t kMostFactor = 1448;
/// Multiply-adds in the time of reading one element of a matrix from memory.
constexpr double kMatrixElement = 10;
/// Multiply-adds in the time of one element of a multiplication by the constants between two
/// factors, and of one element of the permutation of the result.
constexpr double kTwiddleElement = 25;
constexpr double kPermutedElement = 40;
/// Multiply-adds in the time of writing one element of a product.
constexpr double kResultElement = 16;
/// Most factors. Each factor costs a pass over the data.
constexpr size_t kMostFactors = 4;

/// Returns the cost of a plan per line, or nullopt if a matrix is too large.
std::optional<double> costOf(const FourierProblem &p, llvm::ArrayRef<int64_t> factors) {
  double lines = static_cast<double>(p.lines);
  double cost = 0;
  int64_t parts = p.parts;
  int64_t rest = p.length;
  // Multiplies `count` vectors per line by a matrix.
  auto addProduct = [&](int64_t summed, int64_t results, int64_t count) {
    double elements = static_cast<double>(summed) * static_cast<double>(results);
    cost += elements * static_cast<double>(count) + elements * kMatrixElement / lines;
    cost += kResultElement * static_cast<double>(results * count);
    return elements <= kMostElements;
  };
  for (int64_t factor : factors.drop_back()) {
    // Each of the length / rest blocks has rest / factor vectors.
    if (!addProduct(parts * factor, 2 * factor, p.length / factor)) {
      return std::nullopt;
    }
    cost += kTwiddleElement * 2 * static_cast<double>(p.length);
    if (3 * rest > kMostElements) { // sines and cosines
      return std::nullopt;
    }
    rest /= factor;
    parts = 2;
  }
  bool isDirect = factors.size() == 1;
  int64_t summed = isDirect ? p.given : rest;
  if (!addProduct(parts * summed, p.results * lastBins(p, factors), p.length / rest)) {
    return std::nullopt;
  }
  if (!isDirect) {
    cost += kPermutedElement * static_cast<double>(p.bins * p.results);
    cost +=
        p.isHalfSpectrum || p.parts == 2 ? kPermutedElement * 2 * static_cast<double>(p.length) : 0;
  }
  return cost;
}

/// Extends `factors` by all factorizations of `rest` and keeps the cheapest plan with at least
/// `least` factors.
void search(const FourierProblem &p, int64_t rest, size_t least,
            llvm::SmallVector<int64_t> &factors, std::optional<FourierPlan> &best) {
  factors.push_back(rest);
  std::optional<double> cost = factors.size() < least ? std::nullopt : costOf(p, factors);
  if (cost && (!best || *cost < best->cost)) {
    best = FourierPlan{factors, 0, *cost};
  }
  factors.pop_back();
  if (factors.size() + 1 == kMostFactors) {
    return;
  }
  for (int64_t factor = 2; factor <= std::min(rest / 2, kMostFactor); ++factor) {
    if (rest % factor == 0) {
      factors.push_back(factor);
      search(p, rest / factor, least, factors, best);
      factors.pop_back();
    }
  }
}

/// Returns the cheapest of all factorizations with at least `least` factors.
std::optional<FourierPlan> cheapestFactors(const FourierProblem &problem, size_t least) {
  std::optional<FourierPlan> best;
  llvm::SmallVector<int64_t> factors;
  search(problem, problem.length, least, factors, best);
  return best;
}

/// Returns the cost per line of Bluestein's method, or nullopt if a transform has no plan.
std::optional<double> chirpCost(const FourierProblem &p, int64_t padded) {
  std::optional<FourierPlan> forward = planFactors(forwardProblem(p, padded));
  std::optional<FourierPlan> backward = planFactors(backwardProblem(p, padded));
  if (!forward || !backward) {
    return std::nullopt;
  }
  // Products with the chirp, with its spectrum, and with the chirp again.
  double elements = 2 * static_cast<double>(p.length + padded + p.bins);
  return forward->cost + backward->cost + kTwiddleElement * elements;
}

} // namespace

int64_t lastBins(const FourierProblem &p, llvm::ArrayRef<int64_t> factors) {
  int64_t others = p.length / factors.back();
  return static_cast<int64_t>(
      llvm::divideCeil(static_cast<uint64_t>(p.bins), static_cast<uint64_t>(others)));
}

FourierProblem forwardProblem(const FourierProblem &problem, int64_t padded) {
  FourierProblem p = problem;
  p.length = p.given = p.bins = padded;
  p.parts = p.results = 2;
  p.isInverse = p.isHalfSpectrum = false;
  return p;
}

FourierProblem backwardProblem(const FourierProblem &problem, int64_t padded) {
  FourierProblem p = forwardProblem(problem, padded);
  p.bins = problem.bins;
  p.isInverse = true;
  return p;
}

std::optional<FourierPlan> planFactors(const FourierProblem &problem) {
  return cheapestFactors(problem, /*least=*/2);
}

std::optional<FourierPlan> planFourier(const FourierProblem &problem) {
  std::optional<FourierPlan> best = cheapestFactors(problem, /*least=*/1);
  int64_t needed = problem.length + problem.bins - 1;
  for (int64_t odd : {1, 3, 5, 9, 15}) {
    int64_t padded = odd;
    while (padded < needed) {
      padded *= 2;
    }
    std::optional<double> cost = chirpCost(problem, padded);
    if (cost && (!best || *cost < best->cost)) {
      best = FourierPlan{{}, padded, *cost};
    }
  }
  return best;
}

} // namespace convoy::simplify
