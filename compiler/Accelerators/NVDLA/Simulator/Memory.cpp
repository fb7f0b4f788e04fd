// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates pages of 64 KiB on the first write to them.

#include "Accelerators/NVDLA/Simulator/Memory.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include <algorithm>
#include <cstring>

namespace convoy::nvdla {

const Memory::Page *Memory::findPage(Port port, uint64_t address) const {
  const auto &map = pages[size_t(port)];
  auto found = map.find(address / kPageBytes);
  return found == map.end() ? nullptr : found->second.get();
}

Memory::Page *Memory::pageFor(Port port, uint64_t address) {
  auto &map = pages[size_t(port)];
  std::unique_ptr<Page> &page = map[address / kPageBytes];
  if (!page) {
    if (map.size() > kMaxPages) {
      map.erase(address / kPageBytes);
      if (fault.empty()) {
        fault = "more than 4 GiB of memory are in use at address 0x" + llvm::utohexstr(address);
      }
      return nullptr;
    }
    page = std::make_unique<Page>();
    page->fill(0);
  }
  return page.get();
}

void Memory::read(Port port, uint64_t address, llvm::MutableArrayRef<uint8_t> bytes) const {
  while (!bytes.empty()) {
    uint64_t inPage = address % kPageBytes;
    size_t count = std::min<uint64_t>(bytes.size(), kPageBytes - inPage);
    if (const Page *page = findPage(port, address)) {
      std::memcpy(bytes.data(), page->data() + inPage, count);
    } else {
      std::memset(bytes.data(), 0, count);
    }
    bytes = bytes.drop_front(count);
    address += count;
  }
}

void Memory::load(Port port, uint64_t address, llvm::ArrayRef<uint8_t> bytes) {
  while (!bytes.empty()) {
    uint64_t inPage = address % kPageBytes;
    size_t count = std::min<uint64_t>(bytes.size(), kPageBytes - inPage);
    if (Page *page = pageFor(port, address)) {
      std::memcpy(page->data() + inPage, bytes.data(), count);
    }
    bytes = bytes.drop_front(count);
    address += count;
  }
}

void Memory::write(Port port, uint64_t address, llvm::ArrayRef<uint8_t> bytes) {
  load(port, address, bytes);
  std::vector<Extent> &writes = engineWrites[size_t(port)];
  // Engines write line by line, so adjacent writes extend one extent.
  if (!writes.empty() && writes.back().address + writes.back().size == address) {
    writes.back().size += bytes.size();
  } else {
    writes.push_back({address, bytes.size()});
  }
}

void Memory::clear(Port port, uint64_t address, uint64_t size) {
  static constexpr std::array<uint8_t, 4096> kZeros = {};
  while (size > 0) {
    uint64_t count = std::min<uint64_t>(size, kZeros.size());
    if (findPage(port, address) || findPage(port, address + count - 1)) {
      load(port, address, llvm::ArrayRef(kZeros).take_front(count));
    }
    address += count;
    size -= count;
  }
}

std::vector<uint8_t> Memory::copy(Port port, uint64_t address, uint64_t size) const {
  std::vector<uint8_t> bytes(size);
  read(port, address, bytes);
  return bytes;
}

uint32_t Memory::crc32(Port port, uint64_t address, uint64_t size) const {
  std::array<uint8_t, 4096> buffer;
  uint32_t crc = 0;
  while (size > 0) {
    auto piece = llvm::MutableArrayRef(buffer).take_front(std::min<uint64_t>(size, buffer.size()));
    read(port, address, piece);
    crc = llvm::crc32(crc, piece);
    address += piece.size();
    size -= piece.size();
  }
  return crc;
}

uint64_t Memory::bytesWritten(Port port, uint64_t address, uint64_t size) const {
  uint64_t total = 0;
  for (const Extent &extent : engineWrites[size_t(port)]) {
    uint64_t begin = std::max(extent.address, address);
    uint64_t end = std::min(extent.address + extent.size, address + size);
    total += begin < end ? end - begin : 0;
  }
  return total;
}

llvm::Error Memory::takeFault() {
  if (fault.empty()) {
    return llvm::Error::success();
  }
  return llvm::createStringError(std::exchange(fault, std::string()));
}

} // namespace convoy::nvdla
