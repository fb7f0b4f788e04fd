// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs are constants, the first operands of regions. They are submitted here without
// data: nothing is copied in or out.

#include "DeviceLayers.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "convoy/convoy.h"
#include "convoy/device.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace mlir;

namespace convoy::driver {
namespace {

convoy_program headerOf(llvm::ArrayRef<uint8_t> program) {
  convoy_program header = {};
  if (program.size() >= sizeof header) {
    std::memcpy(&header, program.data(), sizeof header);
  }
  return header;
}

llvm::Error submit(accelerators::Simulator &simulator, llvm::ArrayRef<uint8_t> program) {
  const convoy_device &table = simulator.device();
  const void *prepared = program.data();
  size_t bytes = program.size();
  int code = CONVOY_OK;
  if (table.prepare) {
    code = table.prepare(table.context, program.data(), program.size(), &prepared, &bytes);
  }
  llvm::ArrayRef<uint8_t> own(static_cast<const uint8_t *>(prepared), bytes);
  llvm::ArrayRef<uint8_t> commands = commandsOf(own);
  uint64_t address = 0;
  uint64_t ticket = 0;
  if (code == CONVOY_OK) {
    code = table.alloc(table.context, headerOf(own).memory_bytes, &address);
  }
  if (code == CONVOY_OK) {
    code = table.submit(table.context, commands.data(), commands.size(), address, &ticket);
    table.release(table.context, address);
  }
  return code == CONVOY_OK ? llvm::Error::success()
                           : llvm::createStringError("the simulator says: " + simulator.error());
}

} // namespace

std::vector<std::vector<uint8_t>> programsOf(ModuleOp module) {
  std::vector<std::vector<uint8_t>> programs;
  module.walk([&](graph::KernelOp kernel) {
    auto config = dyn_cast_or_null<kernels::OffloadAttr>(kernel.getConfigAttr());
    if (config && config.getProgram()) {
      Tensor program = *graph::constantValue(kernel->getOperand(0));
      programs.emplace_back(program.data<uint8_t>(), program.data<uint8_t>() + program.bytes());
    }
  });
  return programs;
}

llvm::ArrayRef<uint8_t> commandsOf(llvm::ArrayRef<uint8_t> program) {
  convoy_program header = headerOf(program);
  bool isWhole = header.magic == CONVOY_PROGRAM_MAGIC && header.commands_offset <= program.size() &&
                 header.commands_bytes <= program.size() - header.commands_offset;
  return isWhole ? program.slice(header.commands_offset, header.commands_bytes)
                 : llvm::ArrayRef<uint8_t>();
}

llvm::Expected<std::vector<accelerators::LayerReport>>
timeLayers(ModuleOp module, const accelerators::Accelerator &device) {
  std::vector<accelerators::LayerReport> layers;
  for (const std::vector<uint8_t> &program : programsOf(module)) {
    std::unique_ptr<accelerators::Simulator> simulator = device.simulator();
    simulator->skipData();
    if (llvm::Error error = submit(*simulator, program)) {
      return error;
    }
    for (accelerators::LayerReport &layer : simulator->report()) {
      layers.push_back(std::move(layer));
    }
  }
  return layers;
}

void printLayers(llvm::raw_ostream &os, llvm::ArrayRef<accelerators::LayerReport> layers) {
  double cycles = 0;
  os << llvm::left_justify("unit", 14) << "      cycles     stalled  MAC use       bytes  layer\n";
  for (const accelerators::LayerReport &layer : layers) {
    os << llvm::left_justify(layer.unit, 14)
       << llvm::format("%12.0f%12.0f%7.1f %%%12lld  ", layer.cycles, layer.stallCycles,
                       100 * layer.utilization, static_cast<long long>(layer.bytesMoved))
       << layer.name << "\n";
    cycles += layer.cycles;
  }
  os << llvm::format("%.0f cycles in %zu layers, by the device's model of time\n", cycles,
                     layers.size());
}

llvm::json::Array layersToJson(llvm::ArrayRef<accelerators::LayerReport> layers) {
  llvm::json::Array rows;
  for (const accelerators::LayerReport &layer : layers) {
    rows.push_back(llvm::json::Object{{"name", llvm::json::fixUTF8(layer.name)},
                                      {"unit", layer.unit},
                                      {"cycles", layer.cycles},
                                      {"stallCycles", layer.stallCycles},
                                      {"utilization", layer.utilization},
                                      {"bytesMoved", layer.bytesMoved}});
  }
  return rows;
}

} // namespace convoy::driver
