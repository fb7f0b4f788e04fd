// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors the dimensions of a rearrangement until each factor belongs to one dimension of the input
// and one dimension of the result.

#include "ConvCore/Rearrangement.h"

using namespace mlir;

namespace convoy::convcore {

/// Returns the common factors of two shapes with the same row-major elements, innermost first, or
/// nothing if a boundary of one shape divides no dimension of the other shape.
static std::optional<SmallVector<Digit>> commonFactors(ArrayRef<int64_t> from,
                                                       ArrayRef<int64_t> to) {
  SmallVector<Digit> factors;
  size_t i = from.size(), j = to.size();
  int64_t fromLeft = 1, toLeft = 1, fromStep = 1, toStep = 1;
  while (true) {
    for (; fromLeft == 1 && i > 0; fromStep = 1) {
      fromLeft = from[--i];
    }
    for (; toLeft == 1 && j > 0; toStep = 1) {
      toLeft = to[--j];
    }
    int64_t size = std::min(fromLeft, toLeft);
    if (size <= 1 || std::max(fromLeft, toLeft) % size != 0) {
      bool isComplete = fromLeft == 1 && toLeft == 1;
      return isComplete ? std::optional(factors) : std::nullopt;
    }
    factors.push_back({size, i, fromStep, j, toStep});
    fromLeft /= size;
    toLeft /= size;
    fromStep *= size;
    toStep *= size;
  }
}

std::optional<SmallVector<Digit>> digitsOf(ArrayRef<int64_t> input, ArrayRef<int64_t> apart,
                                           ArrayRef<int64_t> permutation,
                                           ArrayRef<int64_t> result) {
  std::optional<SmallVector<Digit>> inner = commonFactors(input, apart);
  if (!inner) {
    return std::nullopt;
  }
  SmallVector<Digit> moved; // the factors of the input in the order of the result, outermost first
  SmallVector<int64_t> sizes;
  for (int64_t dim : permutation) {
    for (const Digit &digit : llvm::reverse(*inner)) {
      if (digit.toDim == static_cast<size_t>(dim)) {
        moved.push_back(digit);
        sizes.push_back(digit.size);
      }
    }
  }
  std::optional<SmallVector<Digit>> digits = commonFactors(sizes, result);
  for (size_t k = 0; digits && k < digits->size(); ++k) {
    Digit &digit = (*digits)[k];
    const Digit &source = moved[digit.fromDim];
    digit.fromDim = source.fromDim;
    digit.fromStep *= source.fromStep;
  }
  return digits;
}

} // namespace convoy::convcore
