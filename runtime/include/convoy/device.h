/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How a compiled model reaches an accelerator: through a table of functions that
 * its caller supplies. A driver fills it for real hardware, a simulator for none.
 * Programs for a device are part of the model; this file says how they are stored.
 */

#ifndef CONVOY_DEVICE_H
#define CONVOY_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every function returns CONVOY_OK, or a code of convoy.h that <model>_run then
 * returns. Addresses are the device's own. */
typedef struct convoy_device {
  void *context;
  int (*alloc)(void *context, size_t bytes, uint64_t *address);
  void (*release)(void *context, uint64_t address);
  int (*write)(void *context, uint64_t address, const void *data, size_t bytes);
  int (*read)(void *context, uint64_t address, void *data, size_t bytes);
  /* Starts `commands` on the memory at `address`; *ticket is what to wait for. */
  int (*submit)(void *context, const void *commands, size_t bytes, uint64_t address,
                uint64_t *ticket);
  int (*wait)(void *context, uint64_t ticket);
  /* May be null. Makes of a portable program one for the device at hand; called
   * once, from <model>_init. What it gives belongs to the context. */
  int (*prepare)(void *context, const void *program, size_t bytes, const void **prepared,
                 size_t *prepared_bytes);
} convoy_device;

/* A program, as <model> holds it. All numbers are little-endian, all offsets in bytes
 * from the start of the program, or of the device's memory where it says so:
 *
 *   convoy_program | operands: inputs, then outputs | image | commands
 */
#define CONVOY_PROGRAM_MAGIC 0x50445643u /* "CVDP" */
#define CONVOY_PROGRAM_VERSION 1u

typedef struct convoy_program {
  uint32_t magic;
  uint32_t version;
  char device[24]; /* name of the accelerator it was compiled for, zero-padded */
  uint32_t inputs;
  uint32_t outputs;
  uint64_t memory_bytes; /* one allocation on the device */
  uint64_t image_offset; /* what is copied to its start when the program is loaded */
  uint64_t image_bytes;
  uint64_t commands_offset;
  uint64_t commands_bytes;
} convoy_program;

typedef struct convoy_operand {
  uint64_t address; /* in the device's memory */
  uint64_t bytes;
} convoy_operand;

/* A program on a device. Runs of one loaded program must not overlap. */
typedef struct convoy_loaded {
  const convoy_device *device;
  const void *program;
  uint64_t address;
} convoy_loaded;

/* Gives the program its memory and its image. The device and the program must
 * outlive what is loaded. CONVOY_ERROR_PROGRAM when it is none, or is cut off. */
int convoy_load_program(const convoy_device *device, const void *program, size_t bytes,
                        convoy_loaded *loaded);

/* Copies inputs in, submits, waits, copies outputs out. */
int convoy_run_program(const convoy_loaded *loaded, const void *const *inputs,
                       void *const *outputs);

/* Gives the memory back. */
void convoy_unload_program(convoy_loaded *loaded);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_DEVICE_H */
