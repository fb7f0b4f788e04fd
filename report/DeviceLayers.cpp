// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats cycles, stalls, MAC use and bytes of each layer.

#include "report/DeviceLayers.h"
#include "Support/PercentText.h"
#include "Support/TextTable.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::report {

void printLayers(llvm::raw_ostream &os, llvm::ArrayRef<DeviceLayer> layers, double gigahertz) {
  double cycles = 0;
  constexpr ColumnKind kNumber = ColumnKind::Number;
  TextTable table({{"unit"},
                   {"cycles", kNumber},
                   {"stalled", kNumber},
                   {"MAC use", kNumber},
                   {"bytes", kNumber},
                   {"layer"}});
  for (const DeviceLayer &layer : layers) {
    table.add({layer.unit, llvm::formatv("{0:f0}", layer.cycles).str(),
               llvm::formatv("{0:f0}", layer.stallCycles).str(), percentText(layer.utilization),
               std::to_string(layer.bytesMoved), layer.name});
    cycles += layer.cycles;
  }
  table.print(os);
  os << llvm::format("%.0f cycles in %zu %s, %.1f us at %g GHz, by the device's model of time\n",
                     cycles, layers.size(), layers.size() == 1 ? "layer" : "layers",
                     cycles / gigahertz / 1000, gigahertz);
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
