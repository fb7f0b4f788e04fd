// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The movement of indices by a reshape, a transpose and a second reshape, for devices that
// implement some of these movements with strides.

#pragma once

#include "ConvCore/ConvCore.h"
#include <optional>

namespace convoy::convcore {

/// A factor of a dimension of the input that is also a factor of a dimension of the result. If the
/// index of the result along `toDim` increases by `toStep`, the index of the input along `fromDim`
/// increases by `fromStep`; there are `size` such steps.
struct Digit {
  int64_t size;
  size_t fromDim;
  int64_t fromStep;
  size_t toDim;
  int64_t toStep;

  /// Returns the part of an index along `fromDim` that an index along `toDim` determines.
  int64_t fromOf(int64_t to) const { return to / toStep % size * fromStep; }
};

/// Returns the digits of a rearrangement. Returns nothing if the sizes have no common factors, such
/// as a reshape of 3 x 4 to 4 x 3.
std::optional<llvm::SmallVector<Digit>> digitsOf(llvm::ArrayRef<int64_t> input,
                                                 llvm::ArrayRef<int64_t> apart,
                                                 llvm::ArrayRef<int64_t> permutation,
                                                 llvm::ArrayRef<int64_t> result);

} // namespace convoy::convcore
