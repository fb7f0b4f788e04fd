// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the order of the passes of the quantize stage.

#include "Quantize/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace convoy::quantize {

void addQuantizePasses(OpPassManager &passes, const QuantizeOptions &options) {
  if (!options.isInteger) {
    return;
  }
  const Arithmetic &arithmetic = options.arithmetic;
  OpPassManager &function = passes.nest<func::FuncOp>();
  if (arithmetic.shiftsOnly) {
    function.addPass(createChooseScalesPass());
  }
  function.addPass(createCancelDetoursPass());
  function.addPass(createLowerLayersPass(
      {arithmetic.multiplierBits, graph::stringifyShiftRounding(arithmetic.rounding).str(),
       arithmetic.hasOneShift, arithmetic.averagesByAxis, arithmetic.addFactorBits,
       arithmetic.shiftsOnly, arithmetic.shortTable, arithmetic.longTable}));
  function.addPass(createFoldWeightsPass());
  function.addPass(createCSEPass());
  function.addPass(createCanonicalizerPass());
}

} // namespace convoy::quantize
