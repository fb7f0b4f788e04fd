/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Extends the bytes of pixels to 16-bit numbers, for products of pairs. */
#ifndef CONVOY_BYTE_EXTEND_H
#define CONVOY_BYTE_EXTEND_H

#include "byte_keep.h"

/* BEGIN */
/* Each four bytes b0 b1 b2 b3 become the numbers b0 b2 b1 b3. The last four numbers of a pixel are
 * padded with zeros. */
CONVOY_INLINE void convoy_byte_extend(const uint8_t *x, uint8_t *patch, ptrdiff_t pixels,
                                      int32_t depth, int32_t x_step, int32_t patch_step) {
  for (ptrdiff_t p = 0; p < pixels; ++p, x += x_step, patch += patch_step) {
    const int8_t *from = (const int8_t *)x;
    int16_t *to = (int16_t *)(void *)patch;
    int32_t left = depth;
#if defined(CONVOY_DSP)
    CONVOY_ROLLED
    for (; left >= 4; left -= 4, from += 4, to += 4) {
      const uint32_t bytes = convoy_byte_load_4(from);
      const int32_t halves[2] = {__sxtb16((int8x4_t)bytes), convoy_byte_odd(bytes)};
      memcpy(to, halves, sizeof halves);
    }
#endif
    for (; left > 0; left -= 4, from += 4, to += 4) {
      const int16_t second = (int16_t)(left > 1 ? from[1] : 0);
      const int16_t third = (int16_t)(left > 2 ? from[2] : 0);
      to[3] = (int16_t)(left > 3 ? from[3] : 0);
      to[0] = from[0];
      to[1] = third;
      to[2] = second;
    }
  }
}
/* END */

#endif
