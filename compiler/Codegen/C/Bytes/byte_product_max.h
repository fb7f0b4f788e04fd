/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The largest sums of a window of pixels, rescaled to bytes. */
#ifndef CONVOY_BYTE_PRODUCT_MAX_H
#define CONVOY_BYTE_PRODUCT_MAX_H

#include "byte_rescale.h"
#include "byte_sums.h"

/* BEGIN */
/* y[o] = rescale(bias[o] + maximum over p < pixels of the sum over k < depth of
 * x[p * x_step + k] * w[o, k]). Rescaling is monotone, so this is the maximum of the rescaled sums.
 * convoy_byte_product describes the weights and tables. */
CONVOY_INLINE void convoy_byte_product_max(const uint8_t *x, const uint8_t *w, const uint32_t *bias,
                                           const uint32_t *multiplier, const uint32_t *shift,
                                           uint8_t *y, ptrdiff_t pixels, int32_t depth,
                                           int32_t channels, int32_t x_step, int32_t first,
                                           int32_t table_step, int32_t zero, int32_t low,
                                           int32_t high, int32_t rounding) {
  const convoy_byte_range range = {zero, low, high, rounding};
  const int32_t group = first + (depth + 15) / 16 * 64;
  for (int32_t o = 0; o < channels; o += 4, w += group) {
    const int32_t at = o / 4 * table_step;
#if defined(CONVOY_MVE)
    const int8_t *from = (const int8_t *)x;
    int32x4_t most = convoy_byte_sums(from, (const int8_t *)w + first, depth);
    for (ptrdiff_t p = 1; p < pixels; ++p) {
      from += x_step;
      most = vmaxq_s32(most, convoy_byte_sums(from, (const int8_t *)w + first, depth));
    }
    most = vaddq_s32(most, vldrwq_s32((const int32_t *)bias + o));
    if (first > 0) {
      most = vaddq_s32(most, vldrwq_s32((const int32_t *)(const void *)w));
    }
    convoy_byte_rescale_4(y + o, most, vldrwq_s32((const int32_t *)multiplier + at),
                          vldrwq_s32((const int32_t *)shift + at), range, channels - o);
#else
    int32_t most[4] = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const uint8_t *from = x;
    ptrdiff_t p = 0;
#if defined(CONVOY_DSP)
    for (; p + 1 < pixels; p += 2, from += 2 * x_step) {
      for (int32_t i = 0; i < 4; i += 2) {
        int32_t sums[4] = {0, 0, 0, 0};
        convoy_byte_sums_2(from, from + x_step, w + first + 16 * i, depth, sums);
        const int32_t most0 = sums[0] > sums[2] ? sums[0] : sums[2];
        const int32_t most1 = sums[1] > sums[3] ? sums[1] : sums[3];
        most[i] = most0 > most[i] ? most0 : most[i];
        most[i + 1] = most1 > most[i + 1] ? most1 : most[i + 1];
      }
    }
#endif
    for (; p < pixels; ++p, from += x_step) {
      int32_t sums[4] = {0, 0, 0, 0};
      convoy_byte_sums(from, w + first, depth, sums);
      for (int32_t i = 0; i < 4; ++i) {
        most[i] = sums[i] > most[i] ? sums[i] : most[i];
      }
    }
    for (int32_t i = 0; i < 4 && o + i < channels; ++i) {
      const int32_t start =
          (int32_t)bias[o + i] + (first > 0 ? ((const int32_t *)(const void *)w)[i] : 0);
      y[o + i] = convoy_byte_rescale(most[i] + start, (int32_t)multiplier[at + i],
                                     (int32_t)shift[at + i], range);
    }
#endif
  }
}
/* END */

#endif
