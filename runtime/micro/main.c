/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the model once. The program's argument is a folder of the host: input_0, input_1 and so on
 * contain the inputs, and the program writes output_0 and so on. The exit code is 0 if all outputs
 * are written, 1 after a message, and 2 after a fault of the CPU.
 */

#include "marks.h"
#include "micro.h"

#include <stddef.h>

/* The linker script defines the symbols. Data is copied and zeroed in words. */
extern uint32_t convoy_data_begin[], convoy_data_end[], convoy_bss_begin[], convoy_bss_end[];
extern const uint32_t convoy_data_source[];
/* The end of the stack, which grows downwards. Its last words have a pattern that a run must not
 * change. */
extern uint32_t convoy_stack_end[];

enum { PATH_BYTES = 512, DIGITS = 12, GUARD_WORDS = 4 };

static const uint32_t guard = 0xC0DE57ACu;

static char path[PATH_BYTES];

static void print_number(uint32_t number, uint32_t base) {
  char text[DIGITS];
  uint32_t at = DIGITS - 1;
  text[at] = '\0';
  do {
    text[--at] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number != 0);
  convoy_micro_print(text + at);
}

static int fail(const char *what, const char *about) {
  convoy_micro_print(what);
  convoy_micro_print(about);
  convoy_micro_print("\n");
  return 1;
}

/* Appends a name such as "/input_12" to the first `length` characters of the path. */
static void set_name(uint32_t length, const char *name, uint32_t number) {
  uint32_t divisor = 1;
  while (*name != '\0') {
    path[length++] = *name++;
  }
  while (number / divisor >= 10) {
    divisor *= 10;
  }
  for (; divisor > 0; divisor /= 10) {
    path[length++] = (char)('0' + number / divisor % 10);
  }
  path[length] = '\0';
}

static int run_in_folder(uint32_t length) {
  int code;
  for (uint32_t i = 0; i < convoy_micro_input_count; ++i) {
    set_name(length, "/input_", i);
    if (!convoy_micro_read(path, convoy_micro_inputs[i].data, convoy_micro_inputs[i].bytes)) {
      return fail("cannot read ", path);
    }
  }
  CONVOY_RUN_BEGIN
  code = convoy_micro_run();
  CONVOY_RUN_END
  if (code != 0) {
    return fail("the model failed: ", convoy_micro_error(code));
  }
  for (uint32_t i = 0; i < convoy_micro_output_count; ++i) {
    set_name(length, "/output_", i);
    if (!convoy_micro_write(path, convoy_micro_outputs[i].data, convoy_micro_outputs[i].bytes)) {
      return fail("cannot write ", path);
    }
  }
  return 0;
}

static bool is_stack_intact(void) {
  for (uint32_t i = 0; i < GUARD_WORDS; ++i) {
    if (*(volatile uint32_t *)&convoy_stack_end[i] != guard) {
      return false;
    }
  }
  return true;
}

static int run_model(void) {
  const uint32_t longest_name = 32;
  uint32_t length = 0;
  if (!convoy_micro_arguments(path, PATH_BYTES - longest_name)) {
    return fail("the name of the folder has more characters than expected", "");
  }
  while (path[length] != '\0') {
    ++length;
  }
  return run_in_folder(length);
}

void convoy_micro_begin(void) {
  const uint32_t *source = convoy_data_source;
  int code;
  for (uint32_t *word = convoy_data_begin; word < convoy_data_end; ++word) {
    *word = *source++;
  }
  for (uint32_t *word = convoy_bss_begin; word < convoy_bss_end; ++word) {
    *word = 0;
  }
  for (uint32_t i = 0; i < GUARD_WORDS; ++i) {
    convoy_stack_end[i] = guard;
  }
  code = run_model();
  if (!is_stack_intact()) {
    code = fail("the stack is too small; increase toolchain.stackBytes", "");
  }
  convoy_micro_exit((uint32_t)code);
}

void convoy_micro_fault(uint32_t address, uint32_t cause) {
  convoy_micro_print("fault at address 0x");
  print_number(address, 16);
  convoy_micro_print(", cause 0x");
  print_number(cause, 16);
  convoy_micro_print("\n");
  convoy_micro_exit(2);
}
