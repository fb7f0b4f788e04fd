// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that is done as soon as it is asked, with whatever its memory holds: what a
// run with it takes is the CPU's own part and the copies to and from the device.

#pragma once

#include "convoy/device.h"
#include <cstdint>
#include <map>
#include <vector>

namespace convoy::timing {

class NullDevice {
public:
  NullDevice();
  NullDevice(const NullDevice &) = delete;
  NullDevice &operator=(const NullDevice &) = delete;

  const convoy_device &table() const { return functions; }

private:
  static int alloc(void *context, size_t bytes, uint64_t *address);
  static void release(void *context, uint64_t address);
  static int write(void *context, uint64_t address, const void *data, size_t bytes);
  static int read(void *context, uint64_t address, void *data, size_t bytes);
  /// The bytes at an address, or null where so many are not in one allocation.
  uint8_t *find(uint64_t address, size_t bytes);

  convoy_device functions;
  std::map<uint64_t, std::vector<uint8_t>> memory;
  uint64_t nextAddress = 64;
};

} // namespace convoy::timing
