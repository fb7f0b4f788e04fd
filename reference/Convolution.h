// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluators of conv, conv_transpose, deform_conv and integer_conv; Window.cpp adds
// them to the table together with the pools.

#pragma once

#include "reference/Evaluation.h"

namespace convoy::reference {

/// The attributes of a convolution; `pads` hold all begins, then all ends.
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

/// result = convolution of input and weight, plus bias unless it is null, all of one
/// element type; floats sum up in double, integers wrap.
void convolve(const Tensor &input, const Tensor &weight, const Tensor *bias,
              const ConvWindow &window, Tensor &result);

mlir::LogicalResult evaluateConv(graph::ConvOp op, Evaluation &e);
mlir::LogicalResult evaluateConvTranspose(graph::ConvTransposeOp op, Evaluation &e);
mlir::LogicalResult evaluateIntegerConv(graph::IntegerConvOp op, Evaluation &e);
mlir::LogicalResult evaluateDeformConv(graph::DeformConvOp op, Evaluation &e);

} // namespace convoy::reference
