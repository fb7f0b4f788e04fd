// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is a constant, the first operand of its region. The simulator runs programs
// here without data: no input is copied in and no output is copied out.

#include "Driver/Backends/Device/DevicePrograms.h"
#include "Graph/Attributes.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Kernels/Kernel.h"
#include "convoy/convoy.h"
#include "convoy/device.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
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

/// Returns the regions in execution order. Operand 0 is the program.
llvm::SmallVector<graph::KernelOp> compiledRegions(ModuleOp module) {
  llvm::SmallVector<graph::KernelOp> regions;
  module.walk([&](graph::KernelOp kernel) {
    auto config = dyn_cast_or_null<kernels::OffloadAttr>(kernel.getConfigAttr());
    if (config && config.getProgram()) {
      regions.push_back(kernel);
    }
  });
  return regions;
}

void addOnce(std::vector<std::string> &list, std::string text) {
  if (!llvm::is_contained(list, text)) {
    list.push_back(std::move(text));
  }
}

/// Names the tensors at the borders of programs.
class Borders {
public:
  Borders(llvm::ArrayRef<graph::KernelOp> regions, llvm::ArrayRef<std::string> names) {
    for (auto [region, name] : llvm::zip(regions, names)) {
      programs[region] = name;
    }
  }

  /// Names the source of a tensor. A conversion to the device's float type has no name.
  std::string sourceOf(Value value) const {
    while (auto cast = value.getDefiningOp<graph::CastOp>()) {
      value = cast->getOperand(0);
    }
    auto argument = dyn_cast<BlockArgument>(value);
    auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
    if (function) {
      StringAttr name = graph::argumentName(function, argument.getArgNumber());
      return "input '" + (name ? name.str() : "") + "'";
    }
    return argument ? "the CPU" : textOf(value.getDefiningOp());
  }

  /// Adds the readers of a tensor, each once.
  void addReaders(Value value, std::vector<std::string> &readers) const {
    // MLIR lists the last reader first.
    for (OpOperand *use :
         llvm::reverse(llvm::to_vector(llvm::make_pointer_range(value.getUses())))) {
      if (auto cast = dyn_cast<graph::CastOp>(use->getOwner())) {
        addReaders(cast->getResult(0), readers);
      } else {
        addOnce(readers, readerOf(*use));
      }
    }
  }

private:
  std::string readerOf(OpOperand &use) const {
    auto function = dyn_cast<func::FuncOp>(use.getOwner()->getParentOp());
    if (function && isa<func::ReturnOp>(use.getOwner())) {
      StringAttr name = graph::resultName(function, use.getOperandNumber());
      return "output '" + (name ? name.str() : "") + "'";
    }
    return textOf(use.getOwner());
  }

  std::string textOf(Operation *op) const {
    auto program = programs.find(op);
    std::string node = graph::nodeText(op->getLoc());
    return program != programs.end() ? program->second
           : node.empty()            ? "the CPU"
                                     : node + " on the CPU";
  }

  llvm::DenseMap<Operation *, std::string> programs;
};

} // namespace

std::vector<std::vector<uint8_t>> programsOf(ModuleOp module) {
  std::vector<std::vector<uint8_t>> programs;
  for (graph::KernelOp kernel : compiledRegions(module)) {
    Tensor program = *graph::constantValue(kernel->getOperand(0));
    programs.emplace_back(program.data<uint8_t>(), program.data<uint8_t>() + program.bytes());
  }
  return programs;
}

std::vector<DeviceProgram> linksOf(ModuleOp module, llvm::ArrayRef<std::string> names) {
  llvm::SmallVector<graph::KernelOp> regions = compiledRegions(module);
  Borders borders(regions, names);
  std::vector<DeviceProgram> links;
  for (auto [region, name] : llvm::zip(regions, names)) {
    DeviceProgram &link = links.emplace_back();
    link.name = name;
    for (Value operand : region->getOperands().drop_front()) {
      addOnce(link.reads, borders.sourceOf(operand));
    }
    for (Value result : region->getResults()) {
      borders.addReaders(result, link.writes);
    }
  }
  return links;
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
