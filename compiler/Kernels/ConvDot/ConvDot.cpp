// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the convolution that Kernel.td documents with a multiply of bytes.

#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/Core/ConvEmitter.h"
#include "Kernels/Core/DotMultiply.h"

using namespace mlir;

namespace convoy::kernels {

static constexpr int64_t kLineBytes = 64;

static ConvTiling tilingFor(const ConvKernel &kernel, ConvDotAttr config, int64_t channelBlock) {
  const ConvProblem &p = kernel.problem;
  ConvTiling tiling = tilingOf(config, channelBlock);
  if (p.taps() == 1 && !p.isMatrix && channelBlock < p.inputChannels) {
    int64_t pixelBytes = p.strideColumns * channelBlock * (kernel.integers->isInputWide ? 2 : 1);
    tiling.fetchPixels = std::max<int64_t>(1, kLineBytes / pixelBytes);
  }
  return tiling;
}

LogicalResult lowerConvDot(task::KernelOp kernel, const ConvKernel &matched, ConvDotAttr config,
                           int64_t vectorBytes, DotForm form) {
  KernelFunction function(kernel);
  Block &body = function.body();
  function.allowInPlace(addedOperands(matched, body));
  auto weights = cast<DotWeightsAttr>(graph::layoutOf(body.getArgument(matched.weight).getType()));
  KernelEmitter elements(function.b, vectorBytes);
  elements.pairsProducts = true;
  std::unique_ptr<Multiply> multiply =
      dotMultiply(elements, matched, function.operand(matched.input),
                  function.operand(matched.weight), config.getBlock(), form);
  ConvTiling tiling = tilingFor(matched, config, weights.getI());
  function.finish(ConvEmitter(function, matched, tiling, *multiply, elements).emit());
  return success();
}

} // namespace convoy::kernels
