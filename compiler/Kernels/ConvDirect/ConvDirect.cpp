// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the convolution that Kernel.td documents with the multiply of f32.

#include "Kernels/ConvDirect/ConvDirect.h"
#include "Kernels/Core/ConvEmitter.h"
#include "Kernels/Core/FloatMultiply.h"

using namespace mlir;

namespace convoy::kernels {

/// The elements of a cache line.
static constexpr int64_t kLineElements = 16;

static ConvTiling tilingFor(const ConvProblem &p, ConvDirectAttr config, int64_t channelBlock,
                            bool isBlocked) {
  ConvTiling tiling = tilingOf(config, channelBlock);
  tiling.depth = config.getDepth();
  tiling.unroll = config.getUnroll();
  tiling.fetchWeights = config.getFetch();
  // A longer block spans several cache lines and is streamed.
  bool isFetched = p.taps() == 1 && isBlocked && config.getBlock() <= kLineElements;
  tiling.fetchPixels = isFetched ? 1 : 0;
  tiling.fetchResult = config.getFetchResult();
  tiling.canStoreSums = true;
  return tiling;
}

LogicalResult lowerConvDirect(task::KernelOp kernel, const ConvKernel &matched, ConvDirectAttr config,
                              int64_t vectorBytes) {
  KernelFunction function(kernel);
  const ConvProblem &p = matched.problem;
  Block &body = function.body();
  auto weights = cast<ConvWeightsAttr>(graph::layoutOf(body.getArgument(matched.weight).getType()));
  // A matrix with the columns of one block has the same bytes as a blocked tensor.
  bool isBlocked = p.isMatrix ? p.inputChannels == config.getBlock()
                              : graph::channelBlock(body.getArgument(matched.input).getType()) != 0;
  FloatMultiply multiply(function.b, {function.operand(matched.input), ElementType::F32},
                         {function.operand(matched.weight), ElementType::F32}, config.getBlock());
  KernelEmitter elements(function.b, vectorBytes);
  ConvEmitter emitter(function, matched, tilingFor(p, config, weights.getI(), isBlocked), multiply,
                      elements);
  if (!emitter.storesSums()) {
    function.allowInPlace(addedOperands(matched, body));
  }
  int64_t range = emitter.emit();
  if (!p.isMatrix) {
    int64_t joined = config.getColumns() == 0 ? 1 : config.getColumns() / p.outputColumns;
    function.setRows(p.batch * p.groups * emitter.panelChunks(),
                     task::evenChunks(p.outputRows, config.getRows() * joined));
  }
  function.finish(range);
  return success();
}

} // namespace convoy::kernels
