/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The product of pixels and a matrix of weights, rescaled to bytes. */
#ifndef CONVOY_BYTE_PRODUCT_H
#define CONVOY_BYTE_PRODUCT_H

#include "byte_rescale.h"
#include "byte_sums.h"

/* BEGIN */
#if defined(CONVOY_MVE)
/* Four channels of all pixels with at most 16 bytes each. The weights stay in registers. */
CONVOY_INLINE void convoy_byte_product_16(const uint8_t *x, const uint8_t *w, int32x4_t start,
                                          int32x4_t multipliers, int32x4_t shifts, uint8_t *y,
                                          ptrdiff_t pixels, int32_t depth, int32_t channels,
                                          int32_t x_step, int32_t y_step, convoy_byte_range range) {
  for (ptrdiff_t p = 0; p < pixels; ++p, x += x_step, y += y_step) {
    const int32x4_t sums = convoy_byte_sums((const int8_t *)x, (const int8_t *)w, depth);
    convoy_byte_rescale_4(y, vaddq_s32(sums, start), multipliers, shifts, range, channels);
  }
}
#elif defined(CONVOY_DSP)
/* Four channels of two pixels. Pairs of pixels and channels share the extension of bytes. */
CONVOY_INLINE void convoy_byte_product_2(const uint8_t *x, const uint8_t *w, const int32_t start[4],
                                         const int32_t multipliers[4], const int32_t shifts[4],
                                         uint8_t *y, int32_t depth, int32_t channels,
                                         int32_t x_step, int32_t y_step, convoy_byte_range range) {
  for (int32_t i = 0; i < 4 && i < channels; i += 2) {
    int32_t sums[4] = {start[i], start[i + 1], start[i], start[i + 1]};
    convoy_byte_sums_2(x, x + x_step, w + 16 * i, depth, sums);
    y[i] = convoy_byte_rescale(sums[0], multipliers[i], shifts[i], range);
    y[y_step + i] = convoy_byte_rescale(sums[2], multipliers[i], shifts[i], range);
    if (i + 1 < channels) {
      y[i + 1] = convoy_byte_rescale(sums[1], multipliers[i + 1], shifts[i + 1], range);
      y[y_step + i + 1] = convoy_byte_rescale(sums[3], multipliers[i + 1], shifts[i + 1], range);
    }
  }
}
#endif

/* y[p * y_step + o] = rescale(bias[o] + sum over k < depth of x[p * x_step + k] * w[o, k]). A group
 * of weights starts with `first` bytes: 0, or 16 with four corrections to add to the bias. The
 * tables of multipliers and shifts advance by table_step entries per group. */
CONVOY_INLINE void convoy_byte_product(const uint8_t *x, const uint8_t *w, const uint32_t *bias,
                                       const uint32_t *multiplier, const uint32_t *shift,
                                       uint8_t *y, ptrdiff_t pixels, int32_t depth,
                                       int32_t channels, int32_t x_step, int32_t y_step,
                                       int32_t first, int32_t table_step, int32_t zero, int32_t low,
                                       int32_t high, int32_t rounding) {
  const convoy_byte_range range = {zero, low, high, rounding};
  const int32_t group = first + (depth + 15) / 16 * 64;
#if defined(CONVOY_MVE)
  for (int32_t o = 0; o < channels && depth <= 16; o += 4, w += group) {
    int32x4_t start = vldrwq_s32((const int32_t *)bias + o);
    if (first > 0) {
      start = vaddq_s32(start, vldrwq_s32((const int32_t *)(const void *)w));
    }
    const int32_t at = o / 4 * table_step;
    convoy_byte_product_16(x, w + first, start, vldrwq_s32((const int32_t *)multiplier + at),
                           vldrwq_s32((const int32_t *)shift + at), y + o, pixels, depth,
                           channels - o, x_step, y_step, range);
  }
  for (ptrdiff_t p = 0; p < pixels && depth > 16; ++p, x += x_step, y += y_step) {
    const uint8_t *weights = w;
    const int32_t *biases = (const int32_t *)bias;
    const int32_t *multipliers = (const int32_t *)multiplier;
    const int32_t *shifts = (const int32_t *)shift;
    for (int32_t o = 0; o < channels; o += 4, weights += group, biases += 4) {
      int32x4_t sums = convoy_byte_sums((const int8_t *)x, (const int8_t *)weights + first, depth);
      sums = vaddq_s32(sums, vldrwq_s32(biases));
      if (first > 0) {
        sums = vaddq_s32(sums, vldrwq_s32((const int32_t *)(const void *)weights));
      }
      convoy_byte_rescale_4(y + o, sums, vldrwq_s32(multipliers), vldrwq_s32(shifts), range,
                            channels - o);
      multipliers += table_step;
      shifts += table_step;
    }
  }
#else
  for (int32_t o = 0; o < channels; o += 4, w += group) {
    int32_t start[4], multipliers[4], shifts[4];
    memcpy(start, bias + o, sizeof start);
    memcpy(multipliers, multiplier + o / 4 * table_step, sizeof multipliers);
    memcpy(shifts, shift + o / 4 * table_step, sizeof shifts);
    for (int32_t i = 0; i < 4 && first > 0; ++i) {
      start[i] += ((const int32_t *)(const void *)w)[i];
    }
    const uint8_t *from = x;
    uint8_t *to = y + o;
    ptrdiff_t p = 0;
#if defined(CONVOY_DSP)
    for (; p + 1 < pixels; p += 2, from += 2 * x_step, to += 2 * y_step) {
      convoy_byte_product_2(from, w + first, start, multipliers, shifts, to, depth, channels - o,
                            x_step, y_step, range);
    }
#endif
    for (; p < pixels; ++p, from += x_step, to += y_step) {
      int32_t sums[4];
      memcpy(sums, start, sizeof sums);
      convoy_byte_sums(from, w + first, depth, sums);
      for (int32_t i = 0; i < 4 && o + i < channels; ++i) {
        to[i] = convoy_byte_rescale(sums[i], multipliers[i], shifts[i], range);
      }
    }
  }
#endif
}
/* END */

#endif
