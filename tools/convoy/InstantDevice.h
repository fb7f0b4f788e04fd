// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that is done as soon as it is asked, with whatever its memory holds: what a
// run with it takes is the CPU's own part and the copies to and from the device.

#pragma once

#include "convoy/device.h"
#include <cstdint>
#include <map>
#include <vector>

namespace convoy::driver {

class InstantDevice {
public:
  InstantDevice();
  InstantDevice(const InstantDevice &) = delete;
  InstantDevice &operator=(const InstantDevice &) = delete;

  const convoy_device &table() const { return functions; }

private:
  static int alloc(void *context, size_t bytes, uint64_t *address);
  static void release(void *context, uint64_t address);

  convoy_device functions;
  std::map<uint64_t, std::vector<uint8_t>> memory; // addresses are those of this process
};

} // namespace convoy::driver
