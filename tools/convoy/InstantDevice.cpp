// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory without a device.

#include "InstantDevice.h"
#include "convoy/convoy.h"
#include <cstring>

namespace convoy::driver {
namespace {

uint8_t *at(uint64_t address) {
  return reinterpret_cast<uint8_t *>(static_cast<uintptr_t>(address));
}

int write(void *, uint64_t address, const void *data, size_t bytes) {
  std::memcpy(at(address), data, bytes);
  return CONVOY_OK;
}

int read(void *, uint64_t address, void *data, size_t bytes) {
  std::memcpy(data, at(address), bytes);
  return CONVOY_OK;
}

int submit(void *, const void *, size_t, uint64_t, uint64_t *ticket) {
  *ticket = 0;
  return CONVOY_OK;
}

int wait(void *, uint64_t) { return CONVOY_OK; }

} // namespace

InstantDevice::InstantDevice()
    : functions{this, alloc, release, write, read, submit, wait, /*prepare=*/nullptr} {}

int InstantDevice::alloc(void *context, size_t bytes, uint64_t *address) {
  std::vector<uint8_t> block(bytes + 1); // an address also where nothing is asked for
  *address = reinterpret_cast<uintptr_t>(block.data());
  static_cast<InstantDevice *>(context)->memory.emplace(*address, std::move(block));
  return CONVOY_OK;
}

void InstantDevice::release(void *context, uint64_t address) {
  static_cast<InstantDevice *>(context)->memory.erase(address);
}

} // namespace convoy::driver
