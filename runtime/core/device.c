/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and runs programs through the caller's table of functions. It reads the header of a
 * program but does not interpret its commands.
 */

#include "convoy/device.h"
#include "convoy/convoy.h"

#include <string.h>

/* Returns whether [offset, offset + size) lies within `bytes`. */
static int is_within(uint64_t offset, uint64_t size, uint64_t bytes) {
  return offset <= bytes && size <= bytes - offset;
}

/* A program may be unaligned, so its header is copied. */
static convoy_program header_of(const void *program) {
  convoy_program header;
  memcpy(&header, program, sizeof header);
  return header;
}

static convoy_operand operand_of(const void *program, uint64_t index) {
  convoy_operand operand;
  memcpy(&operand, (const char *)program + sizeof(convoy_program) + index * sizeof operand,
         sizeof operand);
  return operand;
}

static int check_program(const void *program, size_t bytes) {
  convoy_program header;
  uint64_t count = 0;
  uint64_t i = 0;
  if (bytes < sizeof header) {
    return CONVOY_ERROR_PROGRAM;
  }
  header = header_of(program);
  count = (uint64_t)header.inputs + header.outputs;
  if (header.magic != CONVOY_PROGRAM_MAGIC || header.version != CONVOY_PROGRAM_VERSION ||
      !is_within(sizeof header, count * sizeof(convoy_operand), bytes) ||
      !is_within(header.image_offset, header.image_bytes, bytes) ||
      !is_within(header.commands_offset, header.commands_bytes, bytes) ||
      header.image_bytes > header.memory_bytes) {
    return CONVOY_ERROR_PROGRAM;
  }
  for (i = 0; i < count; ++i) {
    convoy_operand operand = operand_of(program, i);
    if (!is_within(operand.address, operand.bytes, header.memory_bytes)) {
      return CONVOY_ERROR_PROGRAM;
    }
  }
  return CONVOY_OK;
}

int convoy_load_program(const convoy_device *device, const void *program, size_t bytes,
                        convoy_loaded_program *loaded) {
  convoy_program header;
  int status = CONVOY_OK;
  if (!device || !program || !loaded) {
    return CONVOY_ERROR_NULL_POINTER;
  }
  if (device->prepare) {
    status = device->prepare(device->context, program, bytes, &program, &bytes);
    if (status != CONVOY_OK) {
      return status;
    }
  }
  status = check_program(program, bytes);
  if (status != CONVOY_OK) {
    return status;
  }
  header = header_of(program);
  loaded->device = device;
  loaded->program = program;
  status = device->alloc(device->context, (size_t)header.memory_bytes, &loaded->address);
  if (status != CONVOY_OK) {
    return status;
  }
  status = device->write(device->context, loaded->address,
                         (const char *)program + header.image_offset, (size_t)header.image_bytes);
  if (status != CONVOY_OK) {
    convoy_unload_program(loaded);
  }
  return status;
}

int convoy_run_program(const convoy_loaded_program *loaded, const void *const *inputs,
                       void *const *outputs) {
  const convoy_device *device = loaded->device;
  convoy_program header;
  uint64_t ticket = 0;
  uint32_t i = 0;
  int status = CONVOY_OK;
  if (!device) {
    return CONVOY_ERROR_NO_DEVICE;
  }
  header = header_of(loaded->program);
  for (i = 0; i < header.inputs && status == CONVOY_OK; ++i) {
    convoy_operand operand = operand_of(loaded->program, i);
    status = device->write(device->context, loaded->address + operand.address, inputs[i],
                           (size_t)operand.bytes);
  }
  if (status == CONVOY_OK) {
    status = device->submit(device->context, (const char *)loaded->program + header.commands_offset,
                            (size_t)header.commands_bytes, loaded->address, &ticket);
  }
  if (status == CONVOY_OK) {
    status = device->wait(device->context, ticket);
  }
  for (i = 0; i < header.outputs && status == CONVOY_OK; ++i) {
    convoy_operand operand = operand_of(loaded->program, (uint64_t)header.inputs + i);
    status = device->read(device->context, loaded->address + operand.address, outputs[i],
                          (size_t)operand.bytes);
  }
  return status;
}

void convoy_unload_program(convoy_loaded_program *loaded) {
  if (loaded && loaded->device) {
    loaded->device->release(loaded->device->context, loaded->address);
    loaded->device = NULL;
  }
}
