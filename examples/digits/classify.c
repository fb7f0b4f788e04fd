/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Classifies one image with the compiled model and prints the digit with its
 * score. The tutorial builds this file with the library and with the emitted C.
 *
 *   classify image.pgm
 */

/* begin snippet */
#include "digits.h"
#include <stdalign.h>

static alignas(DIGITS_WORKSPACE_ALIGNMENT) unsigned char workspace[DIGITS_WORKSPACE_BYTES];

/* Writes ten scores. Returns 0, or a code that digits_error_text() explains. */
static int classify(const float image[DIGITS_INPUT_0_ELEMENTS],
                    float scores[DIGITS_OUTPUT_0_ELEMENTS]) {
  const digits_inputs inputs = {image};
  digits_outputs outputs = {scores};
  return digits_run(&inputs, &outputs, workspace);
}
/* end snippet */

#include <stdio.h>

/* Reads a gray image of 8 x 8 pixels into numbers from 0 to 1. */
static int read_image(const char *path, float image[DIGITS_INPUT_0_ELEMENTS]) {
  unsigned char bytes[DIGITS_INPUT_0_ELEMENTS];
  int end = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return 0;
  }
  int is_read = fscanf(file, "P5 8 8 255%n", &end) != EOF && end > 0 && fgetc(file) == '\n' &&
                fread(bytes, 1, sizeof bytes, file) == sizeof bytes;
  fclose(file);
  for (int i = 0; is_read && i < DIGITS_INPUT_0_ELEMENTS; ++i) {
    image[i] = (float)bytes[i] / 255.0f;
  }
  return is_read;
}

int main(int argc, char **argv) {
  float image[DIGITS_INPUT_0_ELEMENTS];
  float scores[DIGITS_OUTPUT_0_ELEMENTS];
  if (argc != 2 || !read_image(argv[1], image)) {
    fprintf(stderr, "usage: classify image.pgm (gray, 8 x 8 pixels)\n");
    return 1;
  }
  int code = classify(image, scores);
  if (code != 0) {
    fprintf(stderr, "%s\n", digits_error_text(code));
    return 1;
  }
  int best = 0;
  for (int i = 1; i < DIGITS_OUTPUT_0_ELEMENTS; ++i) {
    best = scores[i] > scores[best] ? i : best;
  }
  printf("%s: %d (score %.3f)\n", argv[1], best, (double)scores[best]);
  return 0;
}
