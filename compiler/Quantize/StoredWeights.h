// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how an integer layer stores its constant weights. The lowering of layers uses it for
// weights of dequantize_linear and of QLinearConv.

#pragma once

#include "Graph/TypedBuilder.h"
#include "Quantize/Quantized.h"

namespace convoy::quantize {

/// Returns the weights as the 8-bit constants of an integer layer whose output channels are
/// dimension `axis`. Weights that are not constant are returned unchanged. If every weight minus
/// its zero point fits in i8, no zero point remains. Otherwise the weights are i8 with the fewest
/// zero points: one, or one per channel.
QuantizedWeights storedWeights(graph::TypedBuilder &b, const QuantizedWeights &weights,
                               int64_t axis);

/// Does the same for the differences of weights and zero points. Returns nullopt if the differences
/// of a channel have more than 256 values or are not in [-255, 255].
std::optional<QuantizedWeights> storedDifferences(graph::TypedBuilder &b, const Tensor &differences,
                                                  int64_t axis);

/// Returns the zero points per channel ([integer_conv.4]).
Tensor zeroPointVector(const QuantizedWeights &weights);

} // namespace convoy::quantize
