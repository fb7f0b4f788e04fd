// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic that folds a batch normalization into the linear layer before it. Two callers
// match different forms of a model: convoy-graph-fold-batch-norm matches graph ops, and
// QuantizePlan/FoldBatchNorm.cpp matches the nodes of an ONNX file.

#pragma once

#include "Support/Tensor.h"

namespace convoy::simplify {

/// The constant parameters of a batch normalization, with one element per channel:
/// y = (x - mean) * scale / sqrt(variance + epsilon) + bias.
struct NormParameters {
  Tensor scale, bias, mean, variance;
  double epsilon = 0;

  double factor(int64_t channel) const;
};

/// Multiplies the weights by the factors. `axis` is the dimension of the output channels. If the
/// weights have several groups along the dimensions before `axis`, as those of a transposed
/// convolution do, `axis` has the output channels of one group.
Tensor scaledWeight(const Tensor &weight, int64_t axis, const NormParameters &norm,
                    int64_t groups = 1);

/// Returns the bias of the folded layer. `bias`, if there is one, has one element or one element
/// per channel; `shape` has one element per channel.
Tensor foldedBias(const std::optional<Tensor> &bias, ElementType type,
                  llvm::ArrayRef<int64_t> shape, const NormParameters &norm);

} // namespace convoy::simplify
