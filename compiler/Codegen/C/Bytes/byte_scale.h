/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rescales 32-bit sums with one multiplier and one shift. */
#ifndef CONVOY_BYTE_SCALE_H
#define CONVOY_BYTE_SCALE_H

#include "byte_rescale.h"

/* BEGIN */
/* result[i] = rescale(sums[i]) for i < count; `shift` is stored as in tables. */
CONVOY_INLINE void convoy_byte_scale(uint8_t *result, const uint8_t *sums, ptrdiff_t count,
                                     int32_t multiplier, int32_t shift, int32_t zero, int32_t low,
                                     int32_t high, int32_t rounding) {
  const convoy_byte_range range = {zero, low, high, rounding};
  const int32_t *const from = (const int32_t *)(const void *)sums;
#if defined(CONVOY_MVE)
  if (rounding == 1) { /* Gcc 12 fails at the vectors of other roundings. */
    for (ptrdiff_t i = 0; i < count; i += 4) {
      const int32x4_t four = vldrwq_z_s32(from + i, vctp32q((uint32_t)(count - i)));
      convoy_byte_rescale_4(result + i, four, vdupq_n_s32(multiplier), vdupq_n_s32(shift), range,
                            (int32_t)(count - i));
    }
    return;
  }
#endif
  for (ptrdiff_t i = 0; i < count; ++i) {
    result[i] = convoy_byte_rescale(from[i], multiplier, shift, range);
  }
}
/* END */

#endif
