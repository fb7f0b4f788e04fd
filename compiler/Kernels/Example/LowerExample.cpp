// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the loop nest that Example.td documents. The generic emitters compute the elements.

#include "Kernels/Core/LoopNest.h"
#include "Kernels/Example/Example.h"
#include "Kernels/KernelFunction.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

LogicalResult lowerExample(task::KernelOp kernel, ExampleAttr config, const Machine &machine) {
  KernelFunction function(kernel);
  KernelEmitter elements(function.b, machine.vectorBytes);
  function.bindOperands(elements);
  LoopNest nest(function.b);
  Value result = function.body().getTerminator()->getOperand(0);
  int64_t step = config.getLanes() * config.getUnroll();
  nest.loop(function.begin(), function.end(), [&](Value task) {
    for (int64_t u = 0; u < config.getUnroll(); ++u) {
      Value first = nest.add(nest.mul(task, step), u * config.getLanes());
      elements.width = config.getLanes();
      Value vector = elements.lanes().splat(elements.element(result, {Index{first, 1, {}}}));
      elements.width = 1;
      function.b.create<vector::StoreOp>(vector, function.result(0), first);
    }
  });
  function.finish(cast<RankedTensorType>(result.getType()).getNumElements() / step);
  return success();
}

} // namespace convoy::kernels
