// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a loadable together from data and tasks, with its lists as the official compiler lays them
// out: a dummy, data, then six memories per task.

#pragma once

#include "Accelerators/NVDLA/Loadable/Tasks.h"

namespace convoy::nvdla {

class LoadableBuilder {
public:
  /// Address and memory 0 are a dummy: no operand is there.
  LoadableBuilder();

  /// Adds a memory and an address of the same id, which is what descriptors name. All data come
  /// before the first task.
  int16_t addMemory(uint16_t flags, uint64_t bytes, uint8_t domain = 0);
  /// Fills a part of a memory; equal names must have equal bytes.
  void fill(int16_t memory, uint64_t offset, llvm::StringRef name, std::vector<uint8_t> bytes);
  /// Binds a memory as input or output number `bindId`.
  void bind(int16_t memory, uint16_t bindId, LoadableTensor tensor);

  /// Positions, counts and heads of the network are filled in; the rest is taken as it is.
  void addTask(const DlaTask &task);
  void addTask(const EmulatorTask &task);

  Loadable take() { return std::move(loadable); }

private:
  struct Block {
    const char *name;
    uint32_t subInterface;
    std::vector<uint8_t> bytes; // empty: a dummy
  };
  void addBlocks(Interface interface, LoadableVersion version, std::vector<Block> blocks);
  /// Data addresses, the dummy not counted.
  size_t dataCount() const { return dataMemories - 1; }

  Loadable loadable;
  size_t dataMemories = 0;
};

} // namespace convoy::nvdla
