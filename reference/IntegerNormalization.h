// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that graph.integer_lrn and its convcore counterpart share.

#pragma once

#include "Graph/TableNormalization.h"
#include "reference/Odometer.h"

namespace convoy::reference {

/// Calls store(i, d * f(sum of squares) + bias) for each element of `input`.
template <typename OpT, typename Store>
void normalizeIntegers(OpT op, const Tensor &input, const Tensor &near, const Tensor &far,
                       Store store) {
  graph::TableFunction factor{{near.data<int16_t>(), static_cast<size_t>(near.size())},
                              {far.data<int16_t>(), static_cast<size_t>(far.size())},
                              graph::normalizationOf(op)};
  auto zero = static_cast<int64_t>(op.getInputZeroPoint());
  int64_t size = factor.numbers.size;
  int64_t channels = input.dim(1);
  int64_t plane = product(input.shape().drop_front(2));
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t channel = i / plane % channels;
    int64_t begin = std::max<int64_t>(channel - (size - 1) / 2, 0);
    int64_t end = std::min(channel + size / 2, channels - 1);
    int64_t sum = 0;
    for (int64_t c = begin; c <= end; ++c) {
      int64_t neighbor = input.asInt(i + (c - channel) * plane) - zero;
      sum += neighbor * neighbor;
    }
    store(i, (input.asInt(i) - zero) * factor(sum) + factor.numbers.bias);
  }
}

} // namespace convoy::reference
