/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The zero points of weights. A sum of products is corrected by the sum of its inputs. */
#ifndef CONVOY_BYTE_ZEROS_H
#define CONVOY_BYTE_ZEROS_H

#include "byte_machine.h"

/* BEGIN */
typedef struct {
  const int32_t *table; /* of a group of four channels */
  int32_t step;         /* entries to the next group, 0 if groups share; -1: no zero points */
  int32_t input;        /* the zero point of the input */
} convoy_byte_zeros;

#if defined(CONVOY_MVE)
/* Returns the sum of the numbers of a pixel minus the zero point of the input, or 0 if weights have
 * no zero points. */
CONVOY_INLINE int32_t convoy_byte_total(const int8_t *x, int32_t depth, convoy_byte_zeros zeros) {
  int32_t total = zeros.step < 0 ? 0 : -depth * zeros.input;
  for (; zeros.step >= 0 && depth > 0; depth -= 16, x += 16) {
    total = vaddvaq_s8(total, vldrbq_z_s8(x, vctp8q((uint32_t)depth)));
  }
  return total;
}
#elif defined(CONVOY_DSP)
/* If `width` is 2, convoy_byte_extend wrote x. */
CONVOY_INLINE int32_t convoy_byte_total(const uint8_t *x, int32_t depth, int32_t width,
                                        convoy_byte_zeros zeros) {
  /* Zeros pad the last four extended numbers. */
  const int32_t count = width == 2 ? (depth + 3) / 4 * 4 : depth;
  int32_t total = zeros.step < 0 ? 0 : -depth * zeros.input;
  for (int32_t i = 0; i < count && zeros.step >= 0; ++i) {
    total += (int8_t)x[i * width];
  }
  return total;
}
#endif
/* END */

#endif
