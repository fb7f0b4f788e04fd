// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles a loadable from data and tasks. Its lists have the layout of the official compiler: a
// dummy, data, then six memories per task.

#pragma once

#include "Accelerators/NVDLA/Loadable/Tasks.h"

namespace convoy::nvdla {

class LoadableBuilder {
public:
  /// Address and memory 0 are a dummy, so no operand has position 0.
  LoadableBuilder();

  /// Adds a memory and an address with the same id, which descriptors use. All data memories must
  /// be added before the first task.
  int16_t addMemory(uint16_t flags, uint64_t bytes, uint8_t domain = 0);
  /// Fills a part of a memory. Blobs of the same name must have the same bytes.
  void fill(int16_t memory, uint64_t offset, llvm::StringRef name, std::vector<uint8_t> bytes);
  /// Binds a memory as input or output number `bindId`.
  void bind(int16_t memory, uint16_t bindId, LoadableTensor tensor);

  /// Adds a task. Fills in the positions, counts and heads of the network descriptor and keeps its
  /// other fields.
  void addTask(const DlaTask &task);
  void addTask(const EmulatorTask &task);

  Loadable take() { return std::move(loadable); }

private:
  struct Block {
    const char *name;
    uint32_t subInterface;
    std::vector<uint8_t> bytes; // empty for a dummy
  };
  void addBlocks(Interface interface, LoadableVersion version, std::vector<Block> blocks);
  /// Returns the number of data addresses without the dummy.
  size_t dataCount() const { return dataMemories - 1; }

  Loadable loadable;
  size_t dataMemories = 0;
};

} // namespace convoy::nvdla
