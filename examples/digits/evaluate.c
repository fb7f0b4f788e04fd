/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the accuracy of the compiled model on the held-out images that
 * train.py writes: 64 pixels from 0 to 16 and the label in each line.
 *
 *   evaluate heldout.csv
 */

#include "digits.h"

#include <stdalign.h>
#include <stdio.h>

static alignas(DIGITS_WORKSPACE_ALIGNMENT) unsigned char workspace[DIGITS_WORKSPACE_BYTES];

/* Reads one line. Returns the label, or -1 at the end of the file. */
static int read_sample(FILE *file, float image[DIGITS_INPUT_0_ELEMENTS]) {
  int label = -1;
  for (int i = 0; i < DIGITS_INPUT_0_ELEMENTS; ++i) {
    if (fscanf(file, "%f,", &image[i]) != 1) {
      return -1;
    }
    image[i] /= 16.0f;
  }
  return fscanf(file, "%d", &label) == 1 ? label : -1;
}

int main(int argc, char **argv) {
  float image[DIGITS_INPUT_0_ELEMENTS];
  float scores[DIGITS_OUTPUT_0_ELEMENTS];
  const digits_inputs inputs = {image};
  digits_outputs outputs = {scores};
  int label;
  int total = 0;
  int right = 0;
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (file == NULL) {
    fprintf(stderr, "usage: evaluate heldout.csv\n");
    return 1;
  }
  while ((label = read_sample(file, image)) >= 0) {
    int code = digits_run(&inputs, &outputs, workspace);
    if (code != 0) {
      fprintf(stderr, "%s\n", digits_error_text(code));
      return 1;
    }
    int best = 0;
    for (int i = 1; i < DIGITS_OUTPUT_0_ELEMENTS; ++i) {
      best = scores[i] > scores[best] ? i : best;
    }
    right += best == label;
    ++total;
  }
  fclose(file);
  printf("%d of %d images right (%.1f %%)\n", right, total, 100.0 * right / total);
  return total == 0;
}
