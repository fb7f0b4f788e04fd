/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The product of pixels and a matrix of weights, rescaled to bytes. */
#ifndef CONVOY_BYTE_PRODUCT_H
#define CONVOY_BYTE_PRODUCT_H

#include "byte_product_dsp.h"
#include "byte_product_mve.h"

/* BEGIN */
/* y[p * y_step + o] =
 *   rescale(bias[o] + sum over k < depth of x[p * x_step + k] * w[o, k]
 *           - zeros[o] * sum over k < depth of (x[p * x_step + k] - x_zero)).
 * The table of zeros advances by zero_step entries per group; -1: there are none. The function may
 * read `x_bytes` bytes of each pixel. A group of weights starts with `first` bytes: 0, or 16 with
 * four corrections to add to the bias. The tables of multipliers and shifts advance by table_step
 * entries per group. The function computes `tile` pixels at once if the machine can. If `width` is
 * 2, convoy_byte_extend wrote x. */
CONVOY_INLINE void convoy_byte_product(const uint8_t *x, const uint8_t *w, const uint32_t *bias,
                                       const uint32_t *multiplier, const uint32_t *shift,
                                       const uint32_t *zeros, uint8_t *y, ptrdiff_t pixels,
                                       int32_t depth, int32_t x_bytes, int32_t channels,
                                       int32_t x_step, int32_t y_step, int32_t first,
                                       int32_t table_step, int32_t zero, int32_t low, int32_t high,
                                       int32_t rounding, int32_t x_zero, int32_t zero_step,
                                       int32_t tile, int32_t width) {
  const int32_t *const biases = (const int32_t *)bias;
  const int32_t *const multipliers = (const int32_t *)multiplier;
  const int32_t *const shifts = (const int32_t *)shift;
  convoy_byte_zeros all_zeros = {(const int32_t *)zeros, zero_step, x_zero};
#if defined(CONVOY_MVE)
  if (width == 1) {
    const convoy_byte_range range = {zero, low, high, rounding};
    const convoy_byte_depth split = convoy_byte_split(depth, x_bytes);
    const int8_t *from = (const int8_t *)x;
    convoy_byte_group group = {(const int8_t *)w, biases, multipliers, shifts, all_zeros};
    for (int32_t o = 0; o < channels && depth <= 16; o += 4, y += 4) {
      convoy_byte_product_16(from, group, y, pixels, depth, x_bytes, channels - o, x_step, y_step,
                             first, range);
      group.weights += first + 64;
      convoy_byte_next_tables(&group, table_step);
    }
    pixels = depth <= 16 ? 0 : pixels;
    for (; pixels >= 3 && tile >= 3; pixels -= 3, from += 3 * x_step, y += 3 * y_step) {
      convoy_byte_product_tile(from, group, y, 3, split, channels, x_step, y_step, first,
                               table_step, depth, range);
    }
    for (; pixels >= 2 && tile >= 2; pixels -= 2, from += 2 * x_step, y += 2 * y_step) {
      convoy_byte_product_tile(from, group, y, 2, split, channels, x_step, y_step, first,
                               table_step, depth, range);
    }
    for (; pixels > 0; --pixels, from += x_step, y += y_step) {
      convoy_byte_product_tile(from, group, y, 1, split, channels, x_step, y_step, first,
                               table_step, depth, range);
    }
    return;
  }
#endif
#if defined(CONVOY_DSP)
  const int32_t words = x_bytes >= (depth + 3) / 4 * 4 ? (depth + 3) / 4 * 4 : depth;
  const int32_t group = first + (depth + 15) / 16 * 64;
  for (; pixels >= 2 && tile >= 2 && rounding == 1; pixels -= 2, x += 2 * x_step) {
    const int32_t total0 = convoy_byte_total(x, depth, width, all_zeros);
    const int32_t total1 = convoy_byte_total(x + x_step, depth, width, all_zeros);
    convoy_byte_product_2(x, w, biases, multipliers, shifts, y, words, group, channels, x_step,
                          y_step, table_step, width, all_zeros.table, zero_step, total0, total1,
                          zero, low, high);
    y += 2 * y_step;
  }
  for (; pixels > 0; --pixels, x += x_step, y += y_step) {
    convoy_byte_product_1(x, w, biases, multipliers, shifts, y, words, group, channels, table_step,
                          width, all_zeros.table, zero_step,
                          convoy_byte_total(x, depth, width, all_zeros), zero, low, high, rounding);
  }
#else
  (void)x_bytes;
  (void)tile;
  const convoy_byte_range range = {zero, low, high, rounding};
  const int32_t group = first + (depth + 15) / 16 * 64;
  for (int32_t o = 0; o < channels; o += 4, w += group) {
    const int32_t at = o / 4 * table_step;
    for (ptrdiff_t p = 0; p < pixels; ++p) {
      int32_t sums[4];
      memcpy(sums, biases + o, sizeof sums);
      for (int32_t i = 0; i < 4 && first > 0; ++i) {
        sums[i] += ((const int32_t *)(const void *)w)[i];
      }
      convoy_byte_sums_plain(x + p * x_step, w + first, depth, width, all_zeros, sums);
      for (int32_t i = 0; i < 4 && o + i < channels; ++i) {
        y[p * y_step + o + i] =
            convoy_byte_rescale_product(sums[i], multipliers[at + i], shifts[at + i], range);
      }
    }
    all_zeros.table += zero_step > 0 ? zero_step : 0;
  }
#endif
}
/* END */

#endif
