/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The weighted sum of two rows of bytes. */
#ifndef CONVOY_BYTE_ADD_H
#define CONVOY_BYTE_ADD_H

#include "byte_rescale.h"

/* BEGIN */
/* y[i] = round((start + a[i] * a_multiplier + b[i] * b_multiplier) / 2^shift) + zero, clamped. The
 * sums fit in 32 bits. y may be a or b. */
CONVOY_INLINE void convoy_byte_add(const uint8_t *a, const uint8_t *b, uint8_t *y, ptrdiff_t count,
                                   int32_t a_multiplier, int32_t b_multiplier, int32_t start,
                                   int32_t shift, int32_t zero, int32_t low, int32_t high,
                                   int32_t rounding) {
  const convoy_byte_range range = {zero, low, high, rounding};
#if defined(CONVOY_MVE)
  for (; count > 0; count -= 4, a += 4, b += 4, y += 4) {
    const mve_pred16_t lanes = vctp32q((uint32_t)count);
    int32x4_t sums =
        vmlaq_n_s32(vdupq_n_s32(start), vldrbq_z_s32((const int8_t *)a, lanes), a_multiplier);
    sums = vmlaq_n_s32(sums, vldrbq_z_s32((const int8_t *)b, lanes), b_multiplier);
    int32x4_t rounded = vrshlq_n_s32(sums, -shift);
    if (rounding != 1) {
      const int32x4_t dropped = vshlq_r_s32(sums, 32 - shift);
      const int32x4_t rest = veorq_s32(dropped, vdupq_n_s32(INT32_MIN));
      rounded = convoy_byte_round_ties_4(rounded, rest, sums, rounding);
    }
    const int32x4_t values = convoy_byte_clamp_4(rounded, range);
    vstrbq_p_s32((int8_t *)y, values, lanes);
  }
#else
  for (ptrdiff_t i = 0; i < count; ++i) {
    const int32_t sum = start + (int8_t)a[i] * a_multiplier + (int8_t)b[i] * b_multiplier;
    int32_t value = ((sum >> (shift - 1)) + 1) >> 1;
    if (rounding != 1) {
      const int32_t isTie = (uint32_t)sum << (32 - shift) == 0x80000000u;
      value -= rounding == 0 ? isTie & (sum < 0) : isTie & value;
    }
    y[i] = convoy_byte_clamp(value, range);
  }
#endif
}
/* END */

#endif
