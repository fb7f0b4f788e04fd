// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out how a model file quantizes its activations. `convoy check` derives its
// tolerance from the kind.

#pragma once

#include "Import/Import.h"

namespace convoy::driver {

enum class QuantizationKind {
  None,    ///< Activations are floats. Weights may be quantized.
  Static,  ///< QuantizeLinear, QLinearConv ...: scales are constants.
  Dynamic, ///< DynamicQuantizeLinear: scales come from data.
};

/// Searches the graph and its subgraphs for ops that quantize activations.
QuantizationKind quantizationOf(const import::Model &model);

} // namespace convoy::driver
