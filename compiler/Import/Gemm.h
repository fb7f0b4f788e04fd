// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph form of Gemm, which FusedGemm shares.

#pragma once

#include "Import/NodeContext.h"

namespace convoy::import {

/// Returns alpha * A * B + beta * C of the node.
mlir::FailureOr<mlir::Value> emitGemm(NodeContext &n);

} // namespace convoy::import
