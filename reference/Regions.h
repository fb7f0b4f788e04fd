// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the evaluators of ops on boxes. Sampling.cpp adds them to the table.

#pragma once

#include "Graph/Extent.h"
#include "reference/Evaluation.h"

namespace convoy::reference {

mlir::LogicalResult evaluateRoiAlign(graph::RoiAlignOp op, Evaluation &e);
mlir::LogicalResult evaluateMaxRoiPool(graph::MaxRoiPoolOp op, Evaluation &e);
mlir::LogicalResult evaluateNonMaxSuppression(graph::NonMaxSuppressionOp op, Evaluation &e);
mlir::LogicalResult evaluateBoundedSuppression(graph::BoundedSuppressionOp op, Evaluation &e);

} // namespace convoy::reference
