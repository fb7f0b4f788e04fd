/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The parts of a program that runs one inference on a microcontroller under an emulator: the
 * start-up code, the calls of the host, and the model with its buffers. The compiler generates
 * the last part as program.c.
 */

#ifndef CONVOY_MICRO_H
#define CONVOY_MICRO_H

#include <stdbool.h>
#include <stdint.h>

/* The buffer of an input or output. */
typedef struct convoy_micro_tensor {
  void *data;
  uint32_t bytes;
} convoy_micro_tensor;

/* program.c: the buffers in the model's order, and a run on them, which returns 0 or the code
 * that convoy_micro_error explains. */
extern const convoy_micro_tensor convoy_micro_inputs[], convoy_micro_outputs[];
extern const uint32_t convoy_micro_input_count, convoy_micro_output_count;
int convoy_micro_run(void);
const char *convoy_micro_error(int code);

/* main.c: sets up the memory and runs the model. The start-up code calls it. */
void convoy_micro_begin(void) __attribute__((noreturn));
/* main.c: reports that the CPU cannot continue at `address`. */
void convoy_micro_fault(uint32_t address, uint32_t cause) __attribute__((noreturn));

/* host.c: services of the host. A file function returns whether it transferred all bytes. */
bool convoy_micro_read(const char *path, void *data, uint32_t bytes);
bool convoy_micro_write(const char *path, const void *data, uint32_t bytes);
/* Copies the words after the program's name; returns false if the buffer is too small. */
bool convoy_micro_arguments(char *text, uint32_t bytes);
void convoy_micro_print(const char *text);
void convoy_micro_exit(uint32_t code) __attribute__((noreturn));

#endif /* CONVOY_MICRO_H */
