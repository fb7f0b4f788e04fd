// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of layers.

#include "report/DeviceLayers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::report {

void printLayers(llvm::raw_ostream &os, llvm::ArrayRef<DeviceLayer> layers) {
  double cycles = 0;
  os << llvm::left_justify("unit", 14) << "      cycles     stalled  MAC use       bytes  layer\n";
  for (const DeviceLayer &layer : layers) {
    os << llvm::left_justify(layer.unit, 14)
       << llvm::format("%12.0f%12.0f%7.1f %%%12lld  ", layer.cycles, layer.stallCycles,
                       100 * layer.utilization, static_cast<long long>(layer.bytesMoved))
       << layer.name << "\n";
    cycles += layer.cycles;
  }
  os << llvm::format("%.0f cycles in %zu layers, by the device's model of time\n", cycles,
                     layers.size());
}

llvm::json::Array layersToJson(llvm::ArrayRef<DeviceLayer> layers) {
  llvm::json::Array rows;
  for (const DeviceLayer &layer : layers) {
    rows.push_back(llvm::json::Object{{"name", llvm::json::fixUTF8(layer.name)},
                                      {"unit", layer.unit},
                                      {"cycles", layer.cycles},
                                      {"stall_cycles", layer.stallCycles},
                                      {"utilization", layer.utilization},
                                      {"bytes_moved", layer.bytesMoved}});
  }
  return rows;
}

} // namespace convoy::report
