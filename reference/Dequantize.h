// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of dequantize_linear on tensors. The evaluator of the op calls it, and
// QuantizePlan folds stored integer weights with it.

#pragma once

#include "Support/Tensor.h"

namespace convoy::reference {

/// Computes (x - zero point) * scale into `result`, which has the shape of the input and a float
/// type. The scale has rank 0, is a vector along `axis`, or has one entry per block of `blockSize`
/// elements along `axis`. A zero point has the shape of the scale; null: all are zero.
void dequantize(const Tensor &input, const Tensor &scale, const Tensor *zeroPoint, int64_t axis,
                int64_t blockSize, Tensor &result);

} // namespace convoy::reference
