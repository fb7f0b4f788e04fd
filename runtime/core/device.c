/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and runs programs through a caller's table of functions. Knows the frame of
 * a program, not what its commands mean.
 */

#include "convoy/device.h"
#include "convoy/convoy.h"

#include <string.h>

/* Whether [offset, offset + size) lies within `bytes`. */
static int is_within(uint64_t offset, uint64_t size, uint64_t bytes) {
  return offset <= bytes && size <= bytes - offset;
}

static const convoy_operand *operands_of(const convoy_program *program) {
  return (const convoy_operand *)(program + 1);
}

static int check_program(const convoy_program *program, size_t bytes) {
  uint64_t count = 0;
  uint64_t i = 0;
  if (bytes < sizeof *program || program->magic != CONVOY_PROGRAM_MAGIC ||
      program->version != CONVOY_PROGRAM_VERSION) {
    return CONVOY_ERROR_PROGRAM;
  }
  count = (uint64_t)program->inputs + program->outputs;
  if (!is_within(sizeof *program, count * sizeof(convoy_operand), bytes) ||
      !is_within(program->image_offset, program->image_bytes, bytes) ||
      !is_within(program->commands_offset, program->commands_bytes, bytes) ||
      program->image_bytes > program->memory_bytes) {
    return CONVOY_ERROR_PROGRAM;
  }
  for (i = 0; i < count; ++i) {
    const convoy_operand *operand = &operands_of(program)[i];
    if (!is_within(operand->address, operand->bytes, program->memory_bytes)) {
      return CONVOY_ERROR_PROGRAM;
    }
  }
  return CONVOY_OK;
}

int convoy_load_program(const convoy_device *device, const void *program, size_t bytes,
                        convoy_loaded *loaded) {
  const convoy_program *header = NULL;
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
  header = (const convoy_program *)program;
  status = check_program(header, bytes);
  if (status != CONVOY_OK) {
    return status;
  }
  loaded->device = device;
  loaded->program = program;
  status = device->alloc(device->context, (size_t)header->memory_bytes, &loaded->address);
  if (status != CONVOY_OK) {
    return status;
  }
  status = device->write(device->context, loaded->address,
                         (const char *)program + header->image_offset, (size_t)header->image_bytes);
  if (status != CONVOY_OK) {
    convoy_unload_program(loaded);
  }
  return status;
}

int convoy_run_program(const convoy_loaded *loaded, const void *const *inputs,
                       void *const *outputs) {
  const convoy_device *device = loaded->device;
  const convoy_program *program = (const convoy_program *)loaded->program;
  const convoy_operand *operand = NULL;
  uint64_t ticket = 0;
  uint32_t i = 0;
  int status = CONVOY_OK;
  if (!device) {
    return CONVOY_ERROR_NO_DEVICE;
  }
  operand = operands_of(program);
  for (i = 0; i < program->inputs && status == CONVOY_OK; ++i, ++operand) {
    status = device->write(device->context, loaded->address + operand->address, inputs[i],
                           (size_t)operand->bytes);
  }
  if (status == CONVOY_OK) {
    status = device->submit(device->context, (const char *)program + program->commands_offset,
                            (size_t)program->commands_bytes, loaded->address, &ticket);
  }
  if (status == CONVOY_OK) {
    status = device->wait(device->context, ticket);
  }
  for (i = 0; i < program->outputs && status == CONVOY_OK; ++i, ++operand) {
    status = device->read(device->context, loaded->address + operand->address, outputs[i],
                          (size_t)operand->bytes);
  }
  return status;
}

void convoy_unload_program(convoy_loaded *loaded) {
  if (loaded && loaded->device) {
    loaded->device->release(loaded->device->context, loaded->address);
    loaded->device = NULL;
  }
}
