/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Uses a compiled model from C. stripes.h contains the whole interface, and the program
 * allocates no memory.
 *
 *   classify image.pgm
 */

#include "stripes.h"

#include <convoy/convoy.h>
#include <stdalign.h>
#include <stdio.h>

static alignas(STRIPES_WORKSPACE_ALIGNMENT) unsigned char workspace[STRIPES_WORKSPACE_BYTES];
static float image[STRIPES_INPUT_0_ELEMENTS];
static float scores[STRIPES_OUTPUT_0_ELEMENTS];

/* Reads a gray image of the model's input size and scales its pixels to 0 to 1. */
static int read_image(const char *path) {
  unsigned width = 0;
  unsigned height = 0;
  int is_read = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return 0;
  }
  if (fscanf(file, "P5 %u %u 255", &width, &height) == 2 && fgetc(file) == '\n' &&
      (unsigned long)width * height == STRIPES_INPUT_0_ELEMENTS) {
    int byte = 0;
    for (int i = 0; i < STRIPES_INPUT_0_ELEMENTS && (byte = fgetc(file)) != EOF; ++i) {
      image[i] = (float)byte / 255.0f;
    }
    is_read = byte != EOF;
  }
  fclose(file);
  return is_read;
}

int main(int argc, char **argv) {
  const stripes_inputs inputs = {image};
  stripes_outputs outputs = {scores};
  int code;
  if (argc != 2 || !read_image(argv[1])) {
    fprintf(stderr, "usage: classify image.pgm (gray, %d pixels)\n", STRIPES_INPUT_0_ELEMENTS);
    return 1;
  }
  if (stripes_abi_version() != CONVOY_ABI_VERSION) {
    fprintf(stderr, "the model has interface %d, expected %d\n", stripes_abi_version(),
            CONVOY_ABI_VERSION);
    return 1;
  }
  code = stripes_run(&inputs, &outputs, workspace);
  if (code != CONVOY_OK) {
    fprintf(stderr, "%s\n", stripes_error_text(code));
    return 1;
  }
  printf("horizontal %.3f\nvertical %.3f\n", (double)scores[0], (double)scores[1]);
  return 0;
}
