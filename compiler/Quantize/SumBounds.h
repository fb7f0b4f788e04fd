// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves bounds on the sums of integer layers from constant weights and biases. The
// lowering of layers chooses i32 or i64 sums and the bits of multipliers by them.

#pragma once

#include "Quantize/Quantized.h"

namespace convoy::quantize {

/// Sums of more bits stay in floating point: their multipliers would have less than
/// 16 bits (requantize in Graph/Integer.td).
constexpr int64_t kMostSumBits = 46;

/// Returns the number of bits b for which every sum of a layer is below 2^b in
/// magnitude, at least 31. The layer multiplies `x` with `weights` and adds `bias`,
/// one integer per output channel or none. Dimension `axis` of the weights has the
/// output channels. Weights that are not constant have `depth` products per sum.
int64_t sumBitsOf(const Quantized &x, const QuantizedWeights &weights, int64_t axis, int64_t depth,
                  llvm::ArrayRef<double> bias);

} // namespace convoy::quantize
