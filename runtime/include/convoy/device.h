/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The interface between a compiled model and an accelerator: a table of functions that the
 * caller provides. A driver implements it for hardware, a simulator in software. The model
 * contains the programs for the device; this file defines their format.
 */

#ifndef CONVOY_DEVICE_H
#define CONVOY_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every function returns CONVOY_OK or a code of convoy.h, which <model>_run then returns.
 * Addresses belong to the device. */
typedef struct convoy_device {
  void *context;
  int (*alloc)(void *context, size_t bytes, uint64_t *address);
  void (*release)(void *context, uint64_t address);
  int (*write)(void *context, uint64_t address, const void *data, size_t bytes);
  int (*read)(void *context, uint64_t address, void *data, size_t bytes);
  /* Starts `commands` on the memory at `address` and stores the ticket to wait for. */
  int (*submit)(void *context, const void *commands, size_t bytes, uint64_t address,
                uint64_t *ticket);
  int (*wait)(void *context, uint64_t ticket);
  /* May be null. Converts a portable program to a program for this device. <model>_init
   * calls it once. The context owns the result. */
  int (*prepare)(void *context, const void *program, size_t bytes, const void **prepared,
                 size_t *prepared_bytes);
} convoy_device;

/* The format of a program. All numbers are little-endian. Offsets are in bytes from the
 * start of the program, or of the device's memory where the field says so:
 *
 *   convoy_program | operands: inputs, then outputs | image | commands
 */
#define CONVOY_PROGRAM_MAGIC 0x50445643u /* "CVDP" */
#define CONVOY_PROGRAM_VERSION 1u

typedef struct convoy_program {
  uint32_t magic;
  uint32_t version;
  char device[24]; /* name of the accelerator that it was compiled for, zero-padded */
  uint32_t inputs;
  uint32_t outputs;
  uint64_t memory_bytes; /* size of its single allocation on the device */
  uint64_t image_offset; /* bytes that loading copies to its start */
  uint64_t image_bytes;
  uint64_t commands_offset;
  uint64_t commands_bytes;
} convoy_program;

typedef struct convoy_operand {
  uint64_t address; /* in the device's memory */
  uint64_t bytes;
} convoy_operand;

/* A program that is loaded on a device. Runs of one loaded program must not overlap. */
typedef struct convoy_loaded_program {
  const convoy_device *device;
  const void *program;
  uint64_t address;
} convoy_loaded_program;

/* Allocates the memory of the program and copies its image. The device and the program must
 * outlive the loaded program. Returns CONVOY_ERROR_PROGRAM if the bytes are not a program
 * or are truncated. */
int convoy_load_program(const convoy_device *device, const void *program, size_t bytes,
                        convoy_loaded_program *loaded);

/* Copies the inputs to the device, submits the commands, waits, and copies the outputs
 * back. */
int convoy_run_program(const convoy_loaded_program *loaded, const void *const *inputs,
                       void *const *outputs);

/* Releases the memory. */
void convoy_unload_program(convoy_loaded_program *loaded);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_DEVICE_H */
