/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The ranges of a device's parameters, and the texts of return codes.
 */

#include "isa.h"

static int between(uint32_t value, uint32_t least, uint32_t most) {
  return value >= least && value <= most;
}

int convoy_abstract_check_device(const convoy_abstract_device *device) {
  return device != NULL && between(device->pes, 1, 1u << 16) && between(device->parallel, 0, 1) &&
                 between(device->memory_bytes, 1u << 10, 1u << 30) &&
                 between(device->dma_bytes_per_cycle, 1, 1u << 12) &&
                 between(device->dma_latency_cycles, 0, 1u << 20) &&
                 between(device->startup_cycles, 0, 1u << 20) &&
                 between(device->queue_depth, 1, CONVOY_ABSTRACT_MAX_QUEUE)
             ? CONVOY_ABSTRACT_OK
             : CONVOY_ABSTRACT_BAD_DEVICE;
}

const char *convoy_abstract_text(int code) {
  static const char *const texts[] = {
      "done",
      "a parameter of the device is out of range",
      "the data is not a layer list, or it has another version",
      "a layer exceeds the limits of the instructions or of the device",
      "no tile of a layer fits in the device's local memory",
      "the scratch memory is too small",
      "the buffer for the stream is too small",
      "the device does not support the instruction",
      "the register does not exist",
      "the value of a register is out of range or conflicts with another register",
      "an instruction accesses bytes outside of local memory",
      "a transfer accesses bytes outside of its segment of system memory",
      "two instructions access the same local memory without a wait",
      "the stream has no end instruction",
  };
  return code >= 0 && (size_t)code < sizeof(texts) / sizeof(texts[0]) ? texts[code]
                                                                      : "unknown code";
}
