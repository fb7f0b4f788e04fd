// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that accepts every command and computes nothing. BenchDevice.cpp runs a model with
// it to time the CPU's part of the model and the copies to and from the device.

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
  /// Returns the bytes at an address, or null if one allocation does not hold `bytes` bytes there.
  uint8_t *find(uint64_t address, size_t bytes);

  convoy_device functions;
  std::map<uint64_t, std::vector<uint8_t>> memory;
  uint64_t nextAddress = 64;
};

} // namespace convoy::timing
