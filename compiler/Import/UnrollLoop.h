// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolls loops that carry sequences or optionals, and loops whose tensors have
// another size in each iteration. Each iteration then has a known number of tensors
// of static shape, which every target supports.

#pragma once

#include "Import/NodeContext.h"

namespace convoy::import {

struct UnrollLimits {
  int64_t steps;
  /// Whether every result must have a static shape.
  bool isStatic;
};

/// Imports the body of a Loop node once per iteration and returns the results of
/// the loop. Returns nullopt if the form of a carried value, the number of
/// iterations or the shape of a stacked value is unknown, or a limit is exceeded;
/// `scratch` is then empty.
std::optional<llvm::SmallVector<mlir::Value>>
importUnrolled(NodeContext &n, const onnx::GraphProto &body, llvm::ArrayRef<mlir::Value> carried,
               mlir::Region &scratch, const UnrollLimits &limits);

/// Returns whether a value is a tensor of static shape.
bool isStaticTensor(mlir::Value value);

} // namespace convoy::import
