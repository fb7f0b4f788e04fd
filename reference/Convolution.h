// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of conv, conv_transpose, deform_conv and integer_conv; Window.cpp adds
// them to the table together with the pools.

#pragma once

#include "reference/Evaluation.h"

namespace convoy::reference {

mlir::LogicalResult evaluateConv(graph::ConvOp op, Evaluation &e);
mlir::LogicalResult evaluateConvTranspose(graph::ConvTransposeOp op, Evaluation &e);
mlir::LogicalResult evaluateIntegerConv(graph::IntegerConvOp op, Evaluation &e);
mlir::LogicalResult evaluateDeformConv(graph::DeformConvOp op, Evaluation &e);

} // namespace convoy::reference
