// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands behind a convolution in its kernel, for templates that hold sums in
// registers.

#pragma once

#include "Kernels/ConvDirect/ConvProblem.h"
#include "Kernels/Loops/KernelEmitter.h"

namespace convoy::kernels {

/// What bias and the ops behind the convolution make of one vector of sums, whose
/// lanes are the channels at `at` of the convolution's result.
mlir::Value finishElement(KernelEmitter &elements, const ConvKernel &kernel,
                          llvm::ArrayRef<Index> at, mlir::Value sum, int64_t block);
/// The same of sums that have the bias already.
mlir::Value finishSum(KernelEmitter &elements, const ConvKernel &kernel, llvm::ArrayRef<Index> at,
                      mlir::Value sum, int64_t block);

} // namespace convoy::kernels
