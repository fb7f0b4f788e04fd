/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The simulator behind the function table of convoy/device.h, in one memory block of the caller:
 * local memory, then streams, then the allocations of programs, in ascending order. Released
 * memory is not reused, which is sufficient for models that are loaded once.
 */

#include "convoy/abstract.h"
#include "convoy/convoy.h"

#include <string.h>

static size_t align_up(size_t bytes) { return (bytes + 15u) & ~(size_t)15u; }

static int take(convoy_abstract_simulator *simulator, size_t bytes, uint64_t *address) {
  const size_t needed = align_up(bytes);
  if (needed < bytes || needed > simulator->bytes - simulator->used) {
    return CONVOY_ERROR_DEVICE;
  }
  *address = simulator->used;
  simulator->used += needed;
  return CONVOY_OK;
}

static int alloc_memory(void *context, size_t bytes, uint64_t *address) {
  return take(context, bytes, address);
}

static void release_memory(void *context, uint64_t address) {
  (void)context;
  (void)address;
}

static int is_inside(const convoy_abstract_simulator *simulator, uint64_t address, size_t bytes) {
  return address <= simulator->bytes && bytes <= simulator->bytes - (size_t)address;
}

static int write_memory(void *context, uint64_t address, const void *data, size_t bytes) {
  convoy_abstract_simulator *simulator = context;
  if (!is_inside(simulator, address, bytes)) {
    return CONVOY_ERROR_DEVICE;
  }
  memcpy(simulator->memory + address, data, bytes);
  return CONVOY_OK;
}

static int read_memory(void *context, uint64_t address, void *data, size_t bytes) {
  convoy_abstract_simulator *simulator = context;
  if (!is_inside(simulator, address, bytes)) {
    return CONVOY_ERROR_DEVICE;
  }
  memcpy(data, simulator->memory + address, bytes);
  return CONVOY_OK;
}

/* Returns the stream of a prepared program, or NULL. */
static const convoy_abstract_stream *find_stream(const convoy_abstract_simulator *simulator,
                                                 const void *commands) {
  uint32_t i;
  for (i = 0; i < simulator->stream_count; ++i) {
    if (simulator->streams[i].list == commands) {
      return &simulator->streams[i];
    }
  }
  return NULL;
}

static int submit_commands(void *context, const void *commands, size_t bytes, uint64_t address,
                           uint64_t *ticket) {
  convoy_abstract_simulator *simulator = context;
  const convoy_abstract_stream *stream = find_stream(simulator, commands);
  convoy_abstract_segment segments[2];
  convoy_abstract_report report;
  (void)bytes;
  if (stream == NULL || address > simulator->bytes) {
    return CONVOY_ERROR_PROGRAM;
  }
  segments[0].base = segments[1].base = simulator->memory + address;
  segments[0].bytes = segments[1].bytes = simulator->bytes - address;
  memset(&report, 0, sizeof(report));
  simulator->code =
      convoy_abstract_simulate(&simulator->device, stream->words, stream->count, segments, 2,
                               simulator->memory, &report, &simulator->fault);
  simulator->cycles += report.total.cycles;
  *ticket = 0;
  return simulator->code == CONVOY_ABSTRACT_OK ? CONVOY_OK : CONVOY_ERROR_DEVICE;
}

static int wait_for(void *context, uint64_t ticket) {
  (void)context;
  (void)ticket;
  return CONVOY_OK; /* complete when submitted */
}

/* Returns the memory at an offset that is a multiple of 16. */
static void *memory_at(const convoy_abstract_simulator *simulator, size_t offset) {
  return simulator->memory + offset;
}

/* Generates the stream at the end of the used memory; the scratch memory is free again
 * afterwards. */
static int generate(convoy_abstract_simulator *simulator, const void *list, size_t bytes,
                    convoy_abstract_stream *stream) {
  const size_t scratch_bytes = align_up(convoy_abstract_scratch_bytes(list, bytes));
  void *scratch = memory_at(simulator, simulator->used);
  const size_t available = simulator->bytes - simulator->used;
  uint64_t address = 0;
  if (scratch_bytes == 0 || scratch_bytes > available) {
    return CONVOY_ERROR_DEVICE;
  }
  /* The stream is generated behind the scratch memory and then moved over it. */
  stream->words = memory_at(simulator, simulator->used + scratch_bytes);
  simulator->code = convoy_abstract_generate(
      &simulator->device, &simulator->options, list, bytes, scratch, scratch_bytes, stream->words,
      (available - scratch_bytes) / sizeof(uint32_t), &stream->count, &simulator->fault);
  if (simulator->code != CONVOY_ABSTRACT_OK) {
    return CONVOY_ERROR_DEVICE;
  }
  memmove(scratch, stream->words, stream->count * sizeof(uint32_t));
  stream->words = scratch;
  stream->list = list;
  return take(simulator, stream->count * sizeof(uint32_t), &address);
}

static int prepare_program(void *context, const void *program, size_t bytes, const void **prepared,
                           size_t *prepared_bytes) {
  convoy_abstract_simulator *simulator = context;
  convoy_program header;
  int code;
  if (bytes < sizeof(header)) {
    return CONVOY_ERROR_PROGRAM;
  }
  memcpy(&header, program, sizeof(header));
  if (header.magic != CONVOY_PROGRAM_MAGIC || header.commands_offset > bytes ||
      header.commands_bytes > bytes - header.commands_offset ||
      simulator->stream_count == CONVOY_ABSTRACT_MAX_STREAMS) {
    return CONVOY_ERROR_PROGRAM;
  }
  code = generate(simulator, (const uint8_t *)program + header.commands_offset,
                  (size_t)header.commands_bytes, &simulator->streams[simulator->stream_count]);
  if (code == CONVOY_OK) {
    ++simulator->stream_count;
    *prepared = program;
    *prepared_bytes = bytes;
  }
  return code;
}

int convoy_abstract_open(convoy_abstract_simulator *simulator, const convoy_abstract_device *device,
                         const convoy_abstract_options *options, void *memory, size_t bytes,
                         convoy_device *table) {
  if (convoy_abstract_check_device(device) != CONVOY_ABSTRACT_OK || bytes < device->memory_bytes ||
      ((uintptr_t)memory & 15u) != 0) {
    return CONVOY_ERROR_DEVICE;
  }
  memset(simulator, 0, sizeof(*simulator));
  simulator->device = *device;
  simulator->options = *options;
  simulator->memory = memory;
  simulator->bytes = bytes;
  simulator->used = align_up(device->memory_bytes);
  table->context = simulator;
  table->alloc = alloc_memory;
  table->release = release_memory;
  table->write = write_memory;
  table->read = read_memory;
  table->submit = submit_commands;
  table->wait = wait_for;
  table->prepare = prepare_program;
  return CONVOY_OK;
}
