/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Classifies an image with the library that `convoy compile` writes; the README shows the
 * function. classify.c checks the file and the return code.
 *
 *   first FILE.pgm     an image of 8 x 8 pixels
 */

#include <stdio.h>
#include <stdlib.h>

/* begin snippet */
#include "digits.h"

static _Alignas(DIGITS_WORKSPACE_ALIGNMENT) unsigned char workspace[DIGITS_WORKSPACE_BYTES];

int classify(const float *image, float *scores) {
  return digits_run(&(digits_inputs){image}, &(digits_outputs){scores}, workspace);
}
/* end snippet */

enum { kHeader = 11 }; /* bytes of "P5\n8 8\n255\n" */

int main(int argc, char **argv) {
  unsigned char bytes[kHeader + DIGITS_INPUT_0_ELEMENTS];
  float image[DIGITS_INPUT_0_ELEMENTS], scores[DIGITS_OUTPUT_0_ELEMENTS];
  int best = 0;
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL || fread(bytes, 1, sizeof(bytes), file) != sizeof(bytes)) {
    return EXIT_FAILURE;
  }
  fclose(file);
  for (int i = 0; i < DIGITS_INPUT_0_ELEMENTS; ++i) {
    image[i] = (float)bytes[kHeader + i] / 255.0f;
  }
  if (classify(image, scores) != 0) {
    return EXIT_FAILURE;
  }
  for (int i = 1; i < DIGITS_OUTPUT_0_ELEMENTS; ++i) {
    best = scores[i] > scores[best] ? i : best;
  }
  printf("%d\n", best);
  return EXIT_SUCCESS;
}
