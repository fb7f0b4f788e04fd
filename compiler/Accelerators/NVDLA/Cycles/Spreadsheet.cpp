// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the larger of MAC and DRAM cycles per layer. If neither data nor weights fit in the buffer,
// one of them is read several times, whichever is cheaper.

#include "Accelerators/NVDLA/Cycles/Spreadsheet.h"
#include <algorithm>
#include <cmath>

namespace convoy::nvdla {
namespace {

double roundTo16(double value) { return std::ceil(value / 16) * 16; }

bool isWinograd(const SpreadsheetLayer &layer) { return layer.kernelSize == 3; }

double macCycles(const SpreadsheetLayer &layer, const SpreadsheetMachine &machine) {
  double folded = double(layer.stride) * layer.stride;
  double side = layer.isPadded ? layer.size : layer.size - layer.kernelSize + 1;
  double outputs = std::pow(std::ceil(side / layer.stride), 2);
  double taps = double(layer.kernelSize) * layer.kernelSize / folded;
  double cycles = roundTo16(layer.channels * folded) * outputs *
                  roundTo16(double(layer.kernels) * layer.batch) * taps / machine.macs /
                  layer.batch;
  return isWinograd(layer) ? cycles / 2.25 : cycles;
}

double dramBytes(const SpreadsheetLayer &layer, const SpreadsheetMachine &machine) {
  // Pixels keep their three channels; features are padded to multiples of 16.
  double channels = layer.channels < 16 ? layer.channels : roundTo16(layer.channels);
  double input = double(layer.size) * layer.size * channels;
  double side = std::ceil(double(layer.kernelSize) / layer.stride) * layer.stride;
  double taps = isWinograd(layer) ? 16 : side * side;
  double weights = taps * channels * layer.kernels;
  double rows = input / layer.size * layer.kernelSize, group = taps * channels * 16;
  double buffer = double(machine.cbufBytes);
  double readWeightsOnce = input * std::ceil(weights / (buffer - rows)) + weights / layer.batch;
  double readInputOnce = input + weights / layer.batch * std::ceil(input / (buffer - group));
  double read = rows >= buffer    ? readInputOnce
                : group >= buffer ? readWeightsOnce
                                  : std::min(readWeightsOnce, readInputOnce);
  double pooled = roundTo16(layer.kernels - layer.unpooledKernels);
  double written = double(layer.outSize) * layer.outSize * pooled +
                   double(layer.size) * layer.size * roundTo16(layer.unpooledKernels);
  return read + written * (layer.isElementwise ? 2 : 1);
}

} // namespace

SpreadsheetCycles spreadsheetCycles(const SpreadsheetLayer &layer,
                                    const SpreadsheetMachine &machine) {
  double kilobytes = dramBytes(layer, machine) / 1024;
  return {macCycles(layer, machine),
          kilobytes / machine.dramGigabytesPerSecond * machine.megahertz};
}

} // namespace convoy::nvdla
