// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integer ops of FromGraph.h.

#pragma once

#include "Accelerators/ConvCore/LayerBuilder.h"

namespace convoy::convcore {

/// As lowerFromGraph, for the ops of Graph/Integer.td; nothing for any other op.
std::optional<std::string> lowerFromInteger(mlir::Operation *op, LayerBuilder &b);

} // namespace convoy::convcore
