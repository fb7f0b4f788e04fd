/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ranges of a device's parameters, and return codes in words.
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
      "a parameter of the device is out of its range",
      "this is no layer list, or one of another version",
      "a layer is beyond what the instructions can say or the device has",
      "no tile of a layer fits the device's local memory",
      "the scratch memory is too small",
      "the room for the stream is too small",
      "there is no such instruction on this device",
      "there is no such register",
      "a register's value is out of its range, or does not go with the others",
      "an instruction leaves the local memory",
      "a transfer leaves its memory of the system",
      "two instructions meet in local memory without a wait",
      "the stream has no end",
  };
  return code >= 0 && (size_t)code < sizeof(texts) / sizeof(texts[0]) ? texts[code]
                                                                      : "unknown code";
}
