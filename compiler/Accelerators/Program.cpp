// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the frame of convoy/device.h. Image and commands start at multiples of 64 bytes, so that a
// device can read them in place.

#include "Accelerators/Program.h"
#include "convoy/device.h"
#include <cstring>

namespace convoy::accelerators {

static_assert(sizeof(convoy_program) == 80, "the frame has no gaps");

static void append(std::vector<uint8_t> &bytes, const void *data, size_t size) {
  const auto *begin = static_cast<const uint8_t *>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

static uint64_t appendAligned(std::vector<uint8_t> &bytes, const std::vector<uint8_t> &data) {
  bytes.resize((bytes.size() + 63) / 64 * 64);
  uint64_t offset = bytes.size();
  append(bytes, data.data(), data.size());
  return offset;
}

std::vector<uint8_t> encodeProgram(const Program &program, llvm::StringRef device) {
  convoy_program header = {};
  header.magic = CONVOY_PROGRAM_MAGIC;
  header.version = CONVOY_PROGRAM_VERSION;
  size_t length = std::min(device.size(), sizeof(header.device) - 1);
  std::memcpy(header.device, device.data(), length);
  header.inputs = program.inputs.size();
  header.outputs = program.outputs.size();
  header.memory_bytes = program.memoryBytes;
  header.image_bytes = program.image.size();
  header.commands_bytes = program.commands.size();
  std::vector<uint8_t> bytes;
  append(bytes, &header, sizeof header);
  for (const auto *ranges : {&program.inputs, &program.outputs}) {
    for (const MemoryRange &range : *ranges) {
      convoy_operand operand = {static_cast<uint64_t>(range.address),
                                static_cast<uint64_t>(range.bytes)};
      append(bytes, &operand, sizeof operand);
    }
  }
  header.image_offset = appendAligned(bytes, program.image);
  header.commands_offset = appendAligned(bytes, program.commands);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

} // namespace convoy::accelerators
