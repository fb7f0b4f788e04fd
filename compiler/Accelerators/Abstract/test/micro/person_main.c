/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a compiled model and its simulated device on a microcontroller, on one image. data.h
 * has the device, the image, and the output of the reference on the host.
 */

#include "convoy/abstract.h"
#include "data.h"
#include "person.h"

#include <stdalign.h>
#include <string.h>

void write_text(const char *text);

static alignas(16) uint8_t device_memory[DEVICE_MEMORY_BYTES];
static alignas(PERSON_WORKSPACE_ALIGNMENT) uint8_t workspace[PERSON_WORKSPACE_BYTES];
static int8_t result[PERSON_OUTPUT_0_ELEMENTS];

static void write_number(uint64_t number) {
  char text[24];
  size_t at = sizeof(text) - 1;
  text[at] = '\0';
  do {
    text[--at] = (char)('0' + (char)(number % 10));
    number /= 10;
  } while (number != 0);
  write_text(text + at);
}

static int fail(const char *what) {
  write_text(what);
  write_text("\n");
  return 1;
}

int main(void) {
  const convoy_abstract_options options = {CONVOY_ABSTRACT_TILE_ALL};
  convoy_abstract_simulator simulator;
  convoy_device table;
  person_inputs inputs;
  person_outputs outputs;
  int code = convoy_abstract_open(&simulator, &device, &options, device_memory,
                                  sizeof(device_memory), &table);
  if (code != 0) {
    return fail("the device does not open");
  }
  code = person_init(&table);
  if (code != 0) {
    write_text(convoy_abstract_text(simulator.code));
    return fail(person_error_text(code));
  }
  inputs.input = (const int8_t *)image;
  outputs.output = result;
  code = person_run(&inputs, &outputs, workspace);
  if (code != 0) {
    return fail(person_error_text(code));
  }
  write_text("cycles ");
  write_number(simulator.cycles);
  write_text("\n");
  if (memcmp(result, expected, sizeof(expected)) != 0) {
    return fail("other bytes than on the host");
  }
  write_text("identical bytes\n");
  return 0;
}
