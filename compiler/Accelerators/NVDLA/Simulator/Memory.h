// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the simulated engines see behind their two memory ports: sparse bytes that begin as zero.
// Engines run to their end whatever they touch; the caller asks for the first fault afterwards.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace convoy::nvdla {

/// The encoding of every RAM_TYPE register.
enum class Port : uint8_t { Sram = 0, Dram = 1 };

class Memory {
public:
  /// Bytes nobody wrote read as zero.
  void read(Port port, uint64_t address, llvm::MutableArrayRef<uint8_t> bytes) const;

  /// A write by an engine: counted, so that a test can ask whether a region was reached.
  void write(Port port, uint64_t address, llvm::ArrayRef<uint8_t> bytes);

  /// A write by the host: not counted.
  void load(Port port, uint64_t address, llvm::ArrayRef<uint8_t> bytes);
  void clear(Port port, uint64_t address, uint64_t size);

  std::vector<uint8_t> copy(Port port, uint64_t address, uint64_t size) const;
  uint32_t crc32(Port port, uint64_t address, uint64_t size) const;

  /// How many bytes engines wrote into [address, address + size), repeats included.
  uint64_t bytesWritten(Port port, uint64_t address, uint64_t size) const;

  /// The first thing that went wrong since the last call, or success.
  llvm::Error takeFault();

private:
  static constexpr uint64_t kPageBytes = 1 << 16;
  /// A file or a trace that asks for more than 4 GiB is taken for a broken one.
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
