// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares evaluators of Elementwise.td that are defined in separate files.

#pragma once

#include "reference/Evaluation.h"

namespace convoy::reference {

mlir::LogicalResult evaluateBinary(graph::BinaryOp op, Evaluation &e);
mlir::LogicalResult evaluateCast(graph::CastOp op, Evaluation &e);

} // namespace convoy::reference
