// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the order of the passes of the quantize stage.

#include "Quantize/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace convoy::quantize {

static LowerLayersPassOptions lowerLayersOptions(const Arithmetic &arithmetic) {
  LowerLayersPassOptions options;
  options.multiplierBits = arithmetic.multiplierBits;
  options.rounding = arithmetic.rounding;
  options.hasOneShift = arithmetic.hasOneShift;
  options.axisAverageLimit = arithmetic.axisAverageLimit;
  options.shiftsAddend = arithmetic.shiftsAddend;
  options.shiftsOnly = arithmetic.shiftsOnly;
  options.shortTable = arithmetic.shortTable;
  options.longTable = arithmetic.longTable;
  options.hasByteTables = arithmetic.hasByteTables;
  return options;
}

void addQuantizePasses(OpPassManager &passes, const QuantizeOptions &options) {
  if (!options.isInteger) {
    return;
  }
  const Arithmetic &arithmetic = options.arithmetic;
  OpPassManager &function = passes.nest<func::FuncOp>();
  if (arithmetic.shiftsOnly) {
    function.addPass(createChooseScalesPass());
  }
  if (options.signsBytes) {
    function.addPass(createChooseSignsPass());
  }
  function.addPass(createCancelDetoursPass());
  function.addPass(createLowerLayersPass(lowerLayersOptions(arithmetic)));
  function.addPass(createFoldWeightsPass());
  function.addPass(createCSEPass());
  function.addPass(createCanonicalizerPass());
}

} // namespace convoy::quantize
