/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The product of pixels and a matrix of weights with the DSP instructions of Armv7E-M. */
#ifndef CONVOY_BYTE_PRODUCT_DSP_H
#define CONVOY_BYTE_PRODUCT_DSP_H

#include "byte_rescale.h"
#include "byte_sums.h"

/* BEGIN */
#if defined(CONVOY_DSP)
/* All channels of two pixels. Pairs of pixels and channels share the extension of bytes. Ties round
 * up. Layers share the function, which needs all registers. */
CONVOY_SHARED void convoy_byte_product_2(const uint8_t *x, const uint8_t *w, const int32_t *biases,
                                         const int32_t *multipliers, const int32_t *shifts,
                                         uint8_t *y, int32_t depth, int32_t group, int32_t channels,
                                         int32_t x_step, int32_t y_step, int32_t table_step,
                                         int32_t width, const int32_t *zeros, int32_t zero_step,
                                         int32_t total0, int32_t total1, int32_t zero, int32_t low,
                                         int32_t high) {
  const convoy_byte_range range = {zero, low, high, 1};
  const int32_t first = group & 63; /* the size of the corrections */
  for (int32_t o = 0; o < channels; o += 2, y += 2, biases += 2) {
    const int32_t lane = o & 2;
    convoy_byte_sums_of_2 sums = {biases[0], biases[1], 0, 0};
    if (first > 0) {
      sums.pixel0_channel0 += ((const int32_t *)(const void *)w)[lane];
      sums.pixel0_channel1 += ((const int32_t *)(const void *)w)[lane + 1];
    }
    sums.pixel1_channel0 = sums.pixel0_channel0;
    sums.pixel1_channel1 = sums.pixel0_channel1;
    if (zero_step >= 0) {
      convoy_byte_correct_2(&sums, zeros + lane, total0, total1);
    }
    if (width == 2) {
      convoy_byte_sums_wide_2(x, x + x_step, w + first + 16 * lane, depth, &sums);
    } else {
      convoy_byte_sums_2(x, x + x_step, w + first + 16 * lane, depth, &sums);
    }
    const int32_t *const m = multipliers + lane, *const s = shifts + lane;
    y[0] = convoy_byte_rescale_up(sums.pixel0_channel0, m[0], s[0], range);
    y[y_step] = convoy_byte_rescale_up(sums.pixel1_channel0, m[0], s[0], range);
    if (o + 1 < channels) {
      y[1] = convoy_byte_rescale_up(sums.pixel0_channel1, m[1], s[1], range);
      y[y_step + 1] = convoy_byte_rescale_up(sums.pixel1_channel1, m[1], s[1], range);
    }
    if (lane == 2) {
      w += group;
      multipliers += table_step;
      shifts += table_step;
      if (zero_step > 0) {
        zeros += zero_step;
      }
    }
  }
}

/* All channels of one pixel. */
CONVOY_SHARED void convoy_byte_product_1(const uint8_t *x, const uint8_t *w, const int32_t *biases,
                                         const int32_t *multipliers, const int32_t *shifts,
                                         uint8_t *y, int32_t depth, int32_t group, int32_t channels,
                                         int32_t table_step, int32_t width, const int32_t *zeros,
                                         int32_t zero_step, int32_t total, int32_t zero,
                                         int32_t low, int32_t high, int32_t rounding) {
  const convoy_byte_range range = {zero, low, high, rounding};
  const int32_t first = group & 63;
  for (int32_t o = 0; o < channels; o += 4, y += 4, biases += 4, w += group) {
    int32_t sums[4] = {biases[0], biases[1], biases[2], biases[3]};
    if (zero_step >= 0) {
      sums[0] -= zeros[0] * total;
      sums[1] -= zeros[1] * total;
      sums[2] -= zeros[2] * total;
      sums[3] -= zeros[3] * total;
    }
    if (first > 0) {
      const int32_t *const corrections = (const int32_t *)(const void *)w;
      sums[0] += corrections[0];
      sums[1] += corrections[1];
      sums[2] += corrections[2];
      sums[3] += corrections[3];
    }
    if (width == 2) {
      convoy_byte_sums_wide(x, w + first, depth, sums);
    } else {
      convoy_byte_sums(x, w + first, depth, sums);
    }
    y[0] = convoy_byte_rescale_product(sums[0], multipliers[0], shifts[0], range);
    if (channels - o >= 2) {
      y[1] = convoy_byte_rescale_product(sums[1], multipliers[1], shifts[1], range);
    }
    if (channels - o >= 3) {
      y[2] = convoy_byte_rescale_product(sums[2], multipliers[2], shifts[2], range);
    }
    if (channels - o >= 4) {
      y[3] = convoy_byte_rescale_product(sums[3], multipliers[3], shifts[3], range);
    }
    multipliers += table_step;
    shifts += table_step;
    if (zero_step > 0) {
      zeros += zero_step;
    }
  }
}
#endif
/* END */

#endif
