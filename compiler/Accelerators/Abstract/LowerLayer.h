// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One convcore op as layers of the portable list: shapes, types and arithmetic.
// Where tensors lie is not said here, so that asking whether the device takes an op
// and lowering it are the same code.

#pragma once

#include "Accelerators/Abstract/LayerList.h"
#include "Accelerators/Abstract/Parameters.h"
#include "Accelerators/Capabilities.h"
#include "mlir/IR/Operation.h"
#include <optional>
#include <vector>

namespace convoy::abstract {

/// A layer, and where in the op's operands and result its tensors start.
struct LayerPart {
  Layer layer = {};
  size_t operand = 0;      // the op's operand that is the first input
  int64_t inElements = 0;  // from the operand's start to the layer's input
  int64_t outElements = 0; // from the result's start to the layer's output
};

/// The layers of an op, or why the device does not run it. An op that moves nothing,
/// a reshape, has none.
struct LoweredOp {
  std::vector<LayerPart> parts;
  std::optional<accelerators::Refusal> refusal;
};

LoweredOp lowerOp(mlir::Operation *op, const Parameters &parameters);

/// The rows of a convolution's table.
std::vector<ChannelTable> tableOf(mlir::Operation *conv);

/// The constant that a layer reads besides tensors (weights, a lookup's table), or null.
mlir::Value weightsOf(mlir::Operation *op);

} // namespace convoy::abstract
