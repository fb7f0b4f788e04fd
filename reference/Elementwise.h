// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of Elementwise.td that have a file of their own.

#pragma once

#include "reference/Evaluation.h"

namespace convoy::reference {

mlir::LogicalResult evaluateBinary(graph::BinaryOp op, Evaluation &e);
mlir::LogicalResult evaluateCast(graph::CastOp op, Evaluation &e);

} // namespace convoy::reference
