// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the integer ops; used by FromGraph.cpp.

#pragma once

#include "ConvCore/LayerBuilder.h"

namespace convoy::convcore {

/// Lowers an op of Graph/Integer.td, as lowerFromGraph does. Returns nothing for any other op.
std::optional<std::string> lowerFromInteger(mlir::Operation *op, LayerBuilder &b);

} // namespace convoy::convcore
