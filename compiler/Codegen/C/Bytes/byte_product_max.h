/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The largest sums of a window of pixels, rescaled to bytes. */
#ifndef CONVOY_BYTE_PRODUCT_MAX_H
#define CONVOY_BYTE_PRODUCT_MAX_H

#include "byte_rescale.h"
#include "byte_sums.h"

/* BEGIN */
#if defined(CONVOY_MVE)
/* Returns the sums of one pixel minus the zero points times the total of the pixel. */
CONVOY_INLINE int32x4_t convoy_byte_corrected(int32x4_t sums, const int8_t *x, int32_t depth,
                                              convoy_byte_zeros zeros) {
  return zeros.step < 0
             ? sums
             : vmlaq_n_s32(sums, vldrwq_s32(zeros.table), -convoy_byte_total(x, depth, zeros));
}
#elif defined(CONVOY_DSP)
CONVOY_INLINE int32_t convoy_byte_most(int32_t most, int32_t a, int32_t b) {
  const int32_t larger = a > b ? a : b;
  return larger > most ? larger : most;
}

/* Two channels of two pixels. Layers share the function, which needs all registers. */
CONVOY_SHARED convoy_byte_sums_of_2 convoy_byte_sums_shared_2(const uint8_t *x, const uint8_t *w,
                                                              int32_t depth, int32_t x_step) {
  convoy_byte_sums_of_2 sums = {0, 0, 0, 0};
  convoy_byte_sums_2(x, x + x_step, w, depth, &sums);
  return sums;
}
#endif

/* y[o] = rescale(bias[o] + maximum over p < pixels of the sum over k < depth of
 * x[p * x_step + k] * w[o, k], minus zeros[o] times the total of the pixel). Rescaling is monotone,
 * so this is the maximum of the rescaled sums. convoy_byte_product describes the weights and
 * tables.
 */
CONVOY_INLINE void convoy_byte_product_max(const uint8_t *x, const uint8_t *w, const uint32_t *bias,
                                           const uint32_t *multiplier, const uint32_t *shift,
                                           const uint32_t *zeros, uint8_t *y, ptrdiff_t pixels,
                                           int32_t depth, int32_t x_bytes, int32_t channels,
                                           int32_t x_step, int32_t first, int32_t table_step,
                                           int32_t zero, int32_t low, int32_t high,
                                           int32_t rounding, int32_t x_zero, int32_t zero_step) {
  const convoy_byte_range range = {zero, low, high, rounding};
  convoy_byte_zeros all_zeros = {(const int32_t *)zeros, zero_step, x_zero};
  const int32_t group = first + (depth + 15) / 16 * 64;
  for (int32_t o = 0; o < channels; o += 4, w += group) {
    const int32_t at = o / 4 * table_step;
#if defined(CONVOY_MVE)
    const int8_t *from = (const int8_t *)x, *const weights = (const int8_t *)w + first;
    const convoy_byte_depth split = convoy_byte_split(depth, x_bytes);
    int32x4_t most = vdupq_n_s32(INT32_MIN);
    ptrdiff_t p = pixels;
    for (; p >= 2; p -= 2, from += 2 * x_step) {
      const convoy_byte_sums_of_3 sums = convoy_byte_sums_2(from, x_step, weights, split);
      most = vmaxq_s32(most, convoy_byte_corrected(sums.a, from, depth, all_zeros));
      most = vmaxq_s32(most, convoy_byte_corrected(sums.b, from + x_step, depth, all_zeros));
    }
    if (p > 0) {
      const int8_t *next = weights;
      const int32x4_t sums = convoy_byte_sums_1(from, &next, split);
      most = vmaxq_s32(most, convoy_byte_corrected(sums, from, depth, all_zeros));
    }
    most = vaddq_s32(most, vldrwq_s32((const int32_t *)bias + o));
    if (first > 0) {
      most = vaddq_s32(most, vldrwq_s32((const int32_t *)(const void *)w));
    }
    convoy_byte_rescale_4(y + o, most, vldrwq_s32((const int32_t *)multiplier + at),
                          vldrwq_s32((const int32_t *)shift + at), range, channels - o);
#else
    (void)x_bytes;
    int32_t most[4] = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const uint8_t *from = x;
    ptrdiff_t p = 0;
#if defined(CONVOY_DSP)
    for (; p + 1 < pixels; p += 2, from += 2 * x_step) {
      const int32_t total0 = convoy_byte_total(from, depth, 1, all_zeros);
      const int32_t total1 = convoy_byte_total(from + x_step, depth, 1, all_zeros);
      for (int32_t i = 0; i < 4; i += 2) {
        convoy_byte_sums_of_2 sums =
            convoy_byte_sums_shared_2(from, w + first + 16 * i, depth, x_step);
        if (zero_step >= 0) {
          convoy_byte_correct_2(&sums, all_zeros.table + i, total0, total1);
        }
        most[i] = convoy_byte_most(most[i], sums.pixel0_channel0, sums.pixel1_channel0);
        most[i + 1] = convoy_byte_most(most[i + 1], sums.pixel0_channel1, sums.pixel1_channel1);
      }
    }
#endif
    for (; p < pixels; ++p, from += x_step) {
#if defined(CONVOY_DSP)
      const int32_t total = convoy_byte_total(from, depth, 1, all_zeros);
      int32_t sums[4] = {0, 0, 0, 0};
      convoy_byte_sums(from, w + first, depth, sums);
      for (int32_t i = 0; i < 4 && zero_step >= 0; ++i) {
        sums[i] -= all_zeros.table[i] * total;
      }
#else
      int32_t sums[4] = {0, 0, 0, 0};
      convoy_byte_sums_plain(from, w + first, depth, 1, all_zeros, sums);
#endif
      for (int32_t i = 0; i < 4; ++i) {
        most[i] = sums[i] > most[i] ? sums[i] : most[i];
      }
    }
    for (int32_t i = 0; i < 4 && o + i < channels; ++i) {
      const int32_t start =
          (int32_t)bias[o + i] + (first > 0 ? ((const int32_t *)(const void *)w)[i] : 0);
      y[o + i] = convoy_byte_rescale_product(most[i] + start, (int32_t)multiplier[at + i],
                                             (int32_t)shift[at + i], range);
    }
#endif
    all_zeros.table += zero_step > 0 ? zero_step : 0;
  }
}
/* END */

#endif
