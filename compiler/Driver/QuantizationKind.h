// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a model file quantises its activations, which decides how exact a correct result
// can be.

#pragma once

#include "Import/Import.h"

namespace convoy::driver {

enum class QuantizationKind {
  None,    ///< Activations are floats. Weights behind DequantizeLinear make no difference.
  Static,  ///< QuantizeLinear, QLinearConv ...: scales are constants.
  Dynamic, ///< DynamicQuantizeLinear: scales come from data.
};

/// Looks for ops that quantise activations, in subgraphs too.
QuantizationKind quantizationOf(const import::Model &model);

} // namespace convoy::driver
