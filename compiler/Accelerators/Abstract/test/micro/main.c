/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs on a microcontroller: generates the stream for the device of data.h, runs it in the
 * simulator, and compares every byte with the bytes that the host computed.
 */

#include "abstract/layers.h"
#include "data.h"

#include <string.h>

void write_text(const char *text);

static uint8_t local_memory[LOCAL_BYTES];
static uint8_t workspace[WORKSPACE_BYTES];
static uint64_t scratch[(16384 + LAYERS * 1024) / 8];
static uint32_t program[PROGRAM_WORDS];

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

static int fail(int code) {
  write_text(convoy_abstract_text(code));
  write_text("\n");
  return 1;
}

int main(void) {
  const convoy_abstract_options options = {CONVOY_ABSTRACT_TILE_ALL};
  convoy_abstract_header header;
  convoy_abstract_fault fault;
  convoy_abstract_report report = {{0, 0, 0, 0, 0, 0, 0}, NULL, 0};
  convoy_abstract_segment segments[2];
  size_t words = 0;
  int code = convoy_abstract_read_header(layer_list, sizeof(layer_list), &header);
  if (code == CONVOY_ABSTRACT_OK) {
    code = convoy_abstract_generate(&device, &options, layer_list, sizeof(layer_list), scratch,
                                    sizeof(scratch), program, PROGRAM_WORDS, &words, &fault);
  }
  if (code != CONVOY_ABSTRACT_OK) {
    return fail(code);
  }
  memcpy(workspace, input, sizeof(input));
  /* The simulator only reads constants. */
  segments[0].base = (void *)(uintptr_t)(layer_list + header.constants_offset);
  segments[0].bytes = header.constants_bytes;
  segments[1].base = workspace;
  segments[1].bytes = sizeof(workspace);
  code =
      convoy_abstract_simulate(&device, program, words, segments, 2, local_memory, &report, &fault);
  if (code != CONVOY_ABSTRACT_OK) {
    return fail(code);
  }
  write_text("cycles ");
  write_number(report.total.cycles);
  write_text(" words ");
  write_number(words);
  write_text("\n");
  if (memcmp(workspace + WORKSPACE_BYTES - sizeof(expected), expected, sizeof(expected)) != 0) {
    write_text("other bytes than on the host\n");
    return 1;
  }
  write_text("identical bytes\n");
  return 0;
}
