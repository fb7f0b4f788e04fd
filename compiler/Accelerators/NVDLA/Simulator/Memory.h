// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory behind the two ports of the simulated engines: sparse bytes, initially zero. Engines
// run to their end whatever they access; the caller asks for the first fault afterwards.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace convoy::nvdla {

/// The encoding of all RAM_TYPE registers.
enum class Port : uint8_t { Sram = 0, Dram = 1 };

class Memory {
public:
  /// Reads bytes; bytes that were never written read as zero.
  void read(Port port, uint64_t address, llvm::MutableArrayRef<uint8_t> bytes) const;

  /// Writes as an engine. The write is counted, so that a test can check whether a region was
  /// written.
  void write(Port port, uint64_t address, llvm::ArrayRef<uint8_t> bytes);

  /// Writes as the host; the write is not counted.
  void load(Port port, uint64_t address, llvm::ArrayRef<uint8_t> bytes);
  void clear(Port port, uint64_t address, uint64_t size);

  std::vector<uint8_t> copy(Port port, uint64_t address, uint64_t size) const;
  uint32_t crc32(Port port, uint64_t address, uint64_t size) const;

  /// Returns how many bytes engines wrote to [address, address + size), including repeated writes.
  uint64_t bytesWritten(Port port, uint64_t address, uint64_t size) const;

  /// Returns the first fault since the last call, or success.
  llvm::Error takeFault();

private:
  static constexpr uint64_t kPageBytes = 1 << 16;
  /// A file or trace that needs more than 4 GiB is treated as invalid.
  static constexpr size_t kMaxPages = 1 << 16;
  using Page = std::array<uint8_t, kPageBytes>;
  struct Extent {
    uint64_t address, size;
  };

  Page *pageFor(Port port, uint64_t address);
  const Page *findPage(Port port, uint64_t address) const;

  std::array<std::unordered_map<uint64_t, std::unique_ptr<Page>>, 2> pages;
  std::array<std::vector<Extent>, 2> engineWrites;
  std::string fault;
};

} // namespace convoy::nvdla
