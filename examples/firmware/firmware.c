/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Classifies one image on a Cortex-M55. The image comes from the host of the debugger, in place of
 * a camera. digits.h is the header that `convoy compile` writes; micro.h declares the start-up code
 * and the calls of the host in runtime/micro.
 */

#include "digits.h"
#include "micro.h"

#include <math.h>
#include <stdalign.h>

enum { kHeader = 11, kPixels = DIGITS_INPUT_0_ELEMENTS }; /* of the file: "P5\n8 8\n255\n" */

extern uint32_t convoy_data_begin[], convoy_data_end[], convoy_bss_begin[], convoy_bss_end[];
extern const uint32_t convoy_data_source[];

static alignas(DIGITS_WORKSPACE_ALIGNMENT) unsigned char workspace[DIGITS_WORKSPACE_BYTES];
static unsigned char file[kHeader + kPixels];
static int8_t image[kPixels];
static int8_t scores[DIGITS_OUTPUT_0_ELEMENTS]; /* larger integers are larger probabilities */

/* begin snippet */
/* Converts a real number to the integer of the model's input. */
static int8_t quantize(float real) {
  float integer = rintf(real / DIGITS_INPUT_0_SCALE) + (float)DIGITS_INPUT_0_ZERO_POINT;
  return (int8_t)fminf(fmaxf(integer, -128.0f), 127.0f);
}
/* end snippet */

static uint32_t classify(void) {
  const digits_inputs inputs = {image};
  digits_outputs outputs = {scores};
  char digit[] = "digit 0\n";
  int best = 0;
  if (!convoy_micro_read("image.pgm", file, sizeof(file))) {
    convoy_micro_print("cannot read image.pgm\n");
    return 1;
  }
  for (int i = 0; i < kPixels; ++i) {
    image[i] = quantize((float)file[kHeader + i] / 255.0f);
  }
  if (digits_run(&inputs, &outputs, workspace) != 0) {
    convoy_micro_print("the model failed\n");
    return 1;
  }
  for (int i = 1; i < DIGITS_OUTPUT_0_ELEMENTS; ++i) {
    best = scores[i] > scores[best] ? i : best;
  }
  digit[6] = (char)('0' + best);
  convoy_micro_print(digit);
  return 0;
}

/* The start-up code calls this function with a stack and without initialized memory. */
void convoy_micro_begin(void) {
  const uint32_t *source = convoy_data_source;
  for (uint32_t *word = convoy_data_begin; word < convoy_data_end; ++word) {
    *word = *source++;
  }
  for (uint32_t *word = convoy_bss_begin; word < convoy_bss_end; ++word) {
    *word = 0;
  }
  convoy_micro_exit(classify());
}

void convoy_micro_fault(uint32_t address, uint32_t cause) {
  (void)address;
  (void)cause;
  convoy_micro_print("fault\n");
  convoy_micro_exit(2);
}
