// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the evaluators of conv, conv_transpose, deform_conv and
// integer_conv. Window.cpp adds them to the table together with the pools.

#pragma once

#include "reference/Evaluation.h"

namespace convoy::reference {

/// The attributes of a convolution; `pads` holds the begin of each dimension,
/// then the end of each dimension.
struct ConvWindow {
  llvm::ArrayRef<int64_t> strides;
  llvm::ArrayRef<int64_t> pads;
  llvm::ArrayRef<int64_t> dilations;
  int64_t groups;

  llvm::ArrayRef<int64_t> getStrides() const { return strides; }
  llvm::ArrayRef<int64_t> getPads() const { return pads; }
  llvm::ArrayRef<int64_t> getDilations() const { return dilations; }
  int64_t getGroups() const { return groups; }
};

/// Computes the convolution of input and weight, plus bias unless it is null.
/// All tensors have one element type. Floats accumulate in double, integers
/// wrap.
void convolve(const Tensor &input, const Tensor &weight, const Tensor *bias,
              const ConvWindow &window, Tensor &result);

mlir::LogicalResult evaluateConv(graph::ConvOp op, Evaluation &e);
mlir::LogicalResult evaluateConvTranspose(graph::ConvTransposeOp op, Evaluation &e);
mlir::LogicalResult evaluateIntegerConv(graph::IntegerConvOp op, Evaluation &e);
mlir::LogicalResult evaluateDeformConv(graph::DeformConvOp op, Evaluation &e);

} // namespace convoy::reference
