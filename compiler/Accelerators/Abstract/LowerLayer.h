// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers one convcore op to layers of the portable list: shapes, types and arithmetic. Addresses
// are not needed, so placement can use the same code to ask whether the device supports an op.

#pragma once

#include "Accelerators/Abstract/LayerList.h"
#include "Accelerators/Abstract/Parameters.h"
#include "Accelerators/Capabilities.h"
#include "mlir/IR/Operation.h"
#include <optional>
#include <vector>

namespace convoy::abstract {

/// A layer, and the offsets of its tensors in the op's operand and result.
struct LayerPart {
  Layer layer = {};
  size_t operand = 0;      // the operand that is the first input
  int64_t inElements = 0;  // offset of the layer's input in the operand
  int64_t outElements = 0; // offset of the layer's output in the result
};

/// The layers of an op, or why the device does not support it. A reshape has no layers, because it
/// moves no data.
struct LoweredOp {
  std::vector<LayerPart> parts;
  std::optional<accelerators::Refusal> refusal;
};

LoweredOp lowerOp(mlir::Operation *op, const Parameters &parameters);

/// Returns the rows of a convolution's table.
std::vector<ChannelTable> tableOf(mlir::Operation *conv);

/// Returns the constant that a layer reads in addition to tensors (weights or a lookup table), or
/// null.
mlir::Value weightsOf(mlir::Operation *op);

} // namespace convoy::abstract
