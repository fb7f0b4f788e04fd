// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is a constant, the first operand of its region. The simulator runs programs
// here without data: no input is copied in and no output is copied out.

#include "Driver/Backends/Device/DevicePrograms.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "convoy/convoy.h"
#include "convoy/device.h"
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
                           : llvm::createStringError("the simulator reports: " + simulator.error());
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

llvm::Expected<std::vector<DeviceLayer>> timeLayers(ModuleOp module,
                                                    const accelerators::Accelerator &device) {
  std::vector<DeviceLayer> layers;
  for (const std::vector<uint8_t> &program : programsOf(module)) {
    std::unique_ptr<accelerators::Simulator> simulator = device.simulator();
    simulator->skipData();
    if (llvm::Error error = submit(*simulator, program)) {
      return error;
    }
    for (DeviceLayer &layer : simulator->report()) {
      layers.push_back(std::move(layer));
    }
  }
  return layers;
}

} // namespace convoy::driver
