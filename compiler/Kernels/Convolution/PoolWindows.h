// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The windows of a pool of two spatial dimensions as a convolution problem.

#pragma once

#include "Kernels/Convolution/ConvProblem.h"

namespace convoy::kernels {

/// Returns the windows of one channel. The caller sets the batch or the groups.
template <typename PoolT>
ConvProblem poolWindows(PoolT pool) {
  auto input = mlir::cast<mlir::RankedTensorType>(pool.getInput().getType());
  auto output = mlir::cast<mlir::RankedTensorType>(pool->getResult(0).getType());
  ConvProblem p;
  p.inputChannels = p.outputChannels = 1;
  p.inputRows = input.getDimSize(2);
  p.inputColumns = input.getDimSize(3);
  p.outputRows = output.getDimSize(2);
  p.outputColumns = output.getDimSize(3);
  p.kernelRows = pool.getKernel()[0];
  p.kernelColumns = pool.getKernel()[1];
  p.strideRows = pool.getStrides()[0];
  p.strideColumns = pool.getStrides()[1];
  p.dilationRows = pool.getDilations()[0];
  p.dilationColumns = pool.getDilations()[1];
  p.padTop = pool.getPads()[0];
  p.padLeft = pool.getPads()[1];
  return p;
}

} // namespace convoy::kernels
