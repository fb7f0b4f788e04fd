// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the memory functions of a device; commands succeed without any effect.

#include "timing/NullDevice.h"
#include "convoy/convoy.h"
#include <cstring>

namespace convoy::timing {
namespace {

int submit(void *, const void *, size_t, uint64_t, uint64_t *ticket) {
  *ticket = 0;
  return CONVOY_OK;
}

int wait(void *, uint64_t) { return CONVOY_OK; }

} // namespace

NullDevice::NullDevice()
    : functions{this, alloc, release, write, read, submit, wait, /*prepare=*/nullptr} {}

int NullDevice::alloc(void *context, size_t bytes, uint64_t *address) {
  auto &self = *static_cast<NullDevice *>(context);
  *address = self.nextAddress;
  self.nextAddress += bytes + 64;
  self.memory[*address].resize(bytes);
  return CONVOY_OK;
}

uint8_t *NullDevice::find(uint64_t address, size_t bytes) {
  auto it = memory.upper_bound(address);
  if (it == memory.begin()) {
    return nullptr;
  }
  auto &[begin, block] = *--it;
  bool isInside = address - begin <= block.size() && bytes <= block.size() - (address - begin);
  return isInside ? block.data() + (address - begin) : nullptr;
}

int NullDevice::write(void *context, uint64_t address, const void *data, size_t bytes) {
  uint8_t *to = static_cast<NullDevice *>(context)->find(address, bytes);
  if (!to) {
    return CONVOY_ERROR_DEVICE;
  }
  std::memcpy(to, data, bytes);
  return CONVOY_OK;
}

int NullDevice::read(void *context, uint64_t address, void *data, size_t bytes) {
  const uint8_t *from = static_cast<NullDevice *>(context)->find(address, bytes);
  if (!from) {
    return CONVOY_ERROR_DEVICE;
  }
  std::memcpy(data, from, bytes);
  return CONVOY_OK;
}

void NullDevice::release(void *context, uint64_t address) {
  static_cast<NullDevice *>(context)->memory.erase(address);
}

} // namespace convoy::timing
