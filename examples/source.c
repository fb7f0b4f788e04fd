/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Uses a model that is compiled to C, as on a microcontroller: the program has no files, allocates
 * no memory and links no library of Convoy.
 */

#include "stripes_source.h"

#include <stdalign.h>
#include <stdio.h>

enum { kSize = 16 }; /* rows and columns of the image */

static alignas(
    STRIPES_SOURCE_WORKSPACE_ALIGNMENT) unsigned char workspace[STRIPES_SOURCE_WORKSPACE_BYTES];
static float image[STRIPES_SOURCE_INPUT_0_ELEMENTS];
static float scores[STRIPES_SOURCE_OUTPUT_0_ELEMENTS];

int main(void) {
  const stripes_source_inputs inputs = {image};
  const stripes_source_outputs outputs = {scores};
  int code;
  /* Vertical stripes that are two pixels wide. */
  for (int i = 0; i < STRIPES_SOURCE_INPUT_0_ELEMENTS; ++i) {
    image[i] = i % kSize / 2 % 2 == 0 ? 0.08f : 0.86f;
  }
  code = stripes_source_run(&inputs, &outputs, workspace);
  if (code != 0) {
    fprintf(stderr, "%s\n", stripes_source_error_text(code));
    return 1;
  }
  printf("%s\n", scores[1] > scores[0] ? "vertical" : "horizontal");
  return 0;
}
