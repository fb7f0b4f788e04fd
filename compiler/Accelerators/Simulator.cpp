// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of simulated devices and the function table of convoy/device.h.

#include "Accelerators/Simulator.h"
#include "convoy/convoy.h"
#include <cstring>

namespace convoy::accelerators {

// Limit of the memory of a simulated device in bytes. A damaged program that asks for more fails.
constexpr size_t kMostBytes = size_t(1) << 36;
// Alignment of allocations in bytes, as devices require it.
constexpr uint64_t kPage = 4096;

/// The functions of the table; `context` is the simulator.
struct SimulatorTable {
  static Simulator &of(void *context) { return *static_cast<Simulator *>(context); }

  static int alloc(void *context, size_t bytes, uint64_t *address) {
    Simulator &self = of(context);
    if (bytes > kMostBytes) {
      return self.fail(CONVOY_ERROR_DEVICE, "the program needs more than 64 GiB of device memory");
    }
    *address = self.nextAddress;
    self.allocations[*address].resize(bytes);
    self.nextAddress += (bytes / kPage + 1) * kPage;
    return CONVOY_OK;
  }
  static void release(void *context, uint64_t address) { of(context).allocations.erase(address); }

  static int write(void *context, uint64_t address, const void *data, size_t bytes) {
    llvm::MutableArrayRef<uint8_t> to = of(context).find(address, bytes);
    if (to.size() != bytes) {
      return of(context).fail(CONVOY_ERROR_DEVICE,
                              "a copy to the device is outside of its allocated memory");
    }
    std::copy_n(static_cast<const uint8_t *>(data), bytes, to.begin());
    return CONVOY_OK;
  }
  static int read(void *context, uint64_t address, void *data, size_t bytes) {
    llvm::MutableArrayRef<uint8_t> from = of(context).find(address, bytes);
    if (from.size() != bytes) {
      return of(context).fail(CONVOY_ERROR_DEVICE,
                              "a copy from the device is outside of its allocated memory");
    }
    std::copy_n(from.begin(), bytes, static_cast<uint8_t *>(data));
    return CONVOY_OK;
  }
  static int submit(void *context, const void *commands, size_t bytes, uint64_t address,
                    uint64_t *ticket) {
    Simulator &self = of(context);
    auto it = self.allocations.find(address);
    if (it == self.allocations.end()) {
      return self.fail(CONVOY_ERROR_DEVICE,
                       "commands were submitted for memory that is not allocated");
    }
    *ticket = 0; // The commands are complete when submit returns.
    return self.execute({static_cast<const uint8_t *>(commands), bytes}, it->second);
  }
  static int wait(void *, uint64_t) { return CONVOY_OK; }

  static int prepare(void *context, const void *program, size_t bytes, const void **prepared,
                     size_t *preparedBytes) {
    llvm::ArrayRef<uint8_t> result;
    int status = of(context).prepare({static_cast<const uint8_t *>(program), bytes}, result);
    *prepared = result.data();
    *preparedBytes = result.size();
    return status;
  }
};

const convoy_device &Simulator::device() {
  table = {this,
           SimulatorTable::alloc,
           SimulatorTable::release,
           SimulatorTable::write,
           SimulatorTable::read,
           SimulatorTable::submit,
           SimulatorTable::wait,
           isPortable() ? SimulatorTable::prepare : nullptr};
  return table;
}

int Simulator::prepare(llvm::ArrayRef<uint8_t> program, llvm::ArrayRef<uint8_t> &prepared) {
  prepared = program;
  return CONVOY_OK;
}

int Simulator::fail(int code, std::string reason) {
  message = std::move(reason);
  return code;
}

/// Returns the bytes at an address, or none if they are not within one allocation.
llvm::MutableArrayRef<uint8_t> Simulator::find(uint64_t address, size_t bytes) {
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin()) {
    return {};
  }
  --it;
  uint64_t offset = address - it->first;
  std::vector<uint8_t> &memory = it->second;
  if (offset > memory.size() || bytes > memory.size() - offset) {
    return {};
  }
  return llvm::MutableArrayRef<uint8_t>(memory).slice(offset, bytes);
}

} // namespace convoy::accelerators
