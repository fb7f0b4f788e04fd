/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls the host by semihosting: an instruction that stops a CPU without a debugger, and that
 * the emulator replaces by an operation on the host's files. The operation is in the first
 * register of the calling convention, the address of its arguments in the second.
 */

#include "micro.h"

#include <stddef.h>

enum operation {
  OPEN = 0x01,
  CLOSE = 0x02,
  PRINT = 0x04,
  WRITE = 0x05,
  READ = 0x06,
  GET_ARGUMENTS = 0x15,
  EXIT = 0x20
};

/* Modes of OPEN: "rb" and "wb" of fopen. */
enum mode { FOR_READING = 1, FOR_WRITING = 5 };

static uint32_t call_host(enum operation operation, const void *arguments) {
#if defined(__arm__)
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = arguments;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
#elif defined(__riscv)
  register uint32_t a0 __asm__("a0") = operation;
  register const void *a1 __asm__("a1") = arguments;
  /* The emulator recognizes the three instructions only uncompressed and on one page. */
  __asm__ volatile(".balign 16\n\t"
                   ".option push\n\t"
                   ".option norvc\n\t"
                   "slli x0, x0, 0x1f\n\t"
                   "ebreak\n\t"
                   "srai x0, x0, 7\n\t"
                   ".option pop"
                   : "+r"(a0)
                   : "r"(a1)
                   : "memory");
  return a0;
#else
#error "no semihosting for this architecture"
#endif
}

static uint32_t length_of(const char *text) {
  uint32_t length = 0;
  while (text[length] != '\0') {
    ++length;
  }
  return length;
}

static uint32_t address_of(const void *data) { return (uint32_t)(uintptr_t)data; }

/* Returns whether the host transferred all bytes between the file and the memory. */
static bool transfer(const char *path, enum mode mode, enum operation operation, const void *data,
                     uint32_t bytes) {
  const uint32_t open[3] = {address_of(path), mode, length_of(path)};
  const uint32_t file = call_host(OPEN, open);
  const uint32_t arguments[3] = {file, address_of(data), bytes};
  uint32_t missing;
  if (file == UINT32_MAX) {
    return false;
  }
  missing = bytes == 0 ? 0 : call_host(operation, arguments);
  return call_host(CLOSE, &file) == 0 && missing == 0;
}

bool convoy_micro_read(const char *path, void *data, uint32_t bytes) {
  return transfer(path, FOR_READING, READ, data, bytes);
}

bool convoy_micro_write(const char *path, const void *data, uint32_t bytes) {
  return transfer(path, FOR_WRITING, WRITE, data, bytes);
}

bool convoy_micro_arguments(char *text, uint32_t bytes) {
  const uint32_t arguments[2] = {address_of(text), bytes};
  return call_host(GET_ARGUMENTS, arguments) == 0;
}

void convoy_micro_print(const char *text) { (void)call_host(PRINT, text); }

void convoy_micro_exit(uint32_t code) {
  const uint32_t application_exit = 0x20026;
  const uint32_t arguments[2] = {application_exit, code};
  for (;;) {
    (void)call_host(EXIT, arguments);
  }
}
