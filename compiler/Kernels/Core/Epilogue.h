// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogue of a convolution kernel: the bias and the element-wise ops after the convolution.
// Templates that keep sums in registers use it before they store a result.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Kernels/Machine.h"

namespace convoy::kernels {

/// Returns the index of a pixel in the result of a convolution with one or two spatial dimensions.
llvm::SmallVector<Index> resultAt(const ConvKernel &kernel, const Index &batch,
                                  const Index &channels, const Index &row, const Index &column);

/// Applies the bias and the epilogue ops to one vector of sums. `at` is the index of the lanes in
/// the result of the convolution.
mlir::Value finishElement(KernelEmitter &elements, const ConvKernel &kernel,
                          llvm::ArrayRef<Index> at, mlir::Value sum, int64_t block);
/// Applies the epilogue ops to sums that already contain the bias.
mlir::Value finishSum(KernelEmitter &elements, const ConvKernel &kernel, llvm::ArrayRef<Index> at,
                      mlir::Value sum, int64_t block);

/// Returns the elements of an operand with one entry per channel, for a block of channels.
mlir::Value channelElements(KernelEmitter &elements, mlir::Value operand, const Index &channels,
                            int64_t block);

/// Returns the zero points of the weights of a block of channels as i32, for weights that are
/// stored as signed bytes.
mlir::Value weightZeros(KernelEmitter &elements, const ConvKernel &kernel, const Index &channels,
                        int64_t block);
/// Returns sums - zeros * inputSum. `zeros` are the zero points of the weights, and `inputSum` is
/// the sum of the inputs minus their zero point, one per lane or a scalar, in the type of the sums:
///
///     sum x (w - zero) = sum x w - zero * sum x
mlir::Value correctedSums(mlir::ImplicitLocOpBuilder &b, mlir::Value sums, mlir::Value zeros,
                          mlir::Value inputSum);

/// Returns the estimated cycles of the epilogue ops per vector.
double epilogueCycles(const ConvKernel &kernel);

/// Selects the products of requantization that fit the instructions of a target with `form`.
void setProducts(KernelEmitter &elements, DotForm form);

} // namespace convoy::kernels
