/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The product of pixels and a matrix of weights, rescaled to bytes. */
#ifndef CONVOY_BYTE_PRODUCT_H
#define CONVOY_BYTE_PRODUCT_H

#include "byte_rescale.h"
#include "byte_sums.h"

/* BEGIN */
#if defined(CONVOY_MVE)
/* The addresses of the weights and table entries of a group of four channels. */
typedef struct {
  const int8_t *weights;
  const int32_t *biases, *multipliers, *shifts;
  convoy_byte_zeros zeros;
} convoy_byte_group;

/* The table entries of a group. */
typedef struct {
  int32x4_t start, multipliers, shifts, zeros;
} convoy_byte_entries;

CONVOY_INLINE convoy_byte_entries convoy_byte_load_entries(convoy_byte_group group, int32_t first) {
  convoy_byte_entries entries = {vldrwq_s32(group.biases), vldrwq_s32(group.multipliers),
                                 vldrwq_s32(group.shifts), vuninitializedq_s32()};
  if (first > 0) {
    const int32_t *const corrections = (const int32_t *)(const void *)group.weights;
    entries.start = vaddq_s32(entries.start, vldrwq_s32(corrections));
  }
  if (group.zeros.step >= 0) {
    entries.zeros = vldrwq_s32(group.zeros.table);
  }
  return entries;
}

CONVOY_INLINE void convoy_byte_next_tables(convoy_byte_group *group, int32_t table_step) {
  group->biases += 4;
  group->multipliers += table_step;
  group->shifts += table_step;
  if (group->zeros.step > 0) {
    group->zeros.table += group->zeros.step;
  }
}

/* All groups can share the multipliers and shifts. */
CONVOY_INLINE convoy_byte_entries convoy_byte_next_entries(convoy_byte_entries shared,
                                                           convoy_byte_group group, int32_t first,
                                                           int32_t table_step) {
  convoy_byte_entries entries = convoy_byte_load_entries(group, first);
  if (table_step == 0) {
    entries.multipliers = shared.multipliers;
    entries.shifts = shared.shifts;
  }
  return entries;
}

/* Rescales and stores sums minus the zero points times the total of the pixel. */
CONVOY_INLINE void convoy_byte_store_sums(uint8_t *y, int32x4_t sums, convoy_byte_entries entries,
                                          convoy_byte_zeros zeros, int32_t total,
                                          convoy_byte_range range, int32_t channels) {
  int32x4_t all = vaddq_s32(sums, entries.start);
  if (zeros.step >= 0) {
    all = vmlaq_n_s32(all, entries.zeros, -total);
  }
  convoy_byte_rescale_4(y, all, entries.multipliers, entries.shifts, range, channels);
}

/* All channels of `pixels` pixels, at most 3. */
CONVOY_INLINE void convoy_byte_product_tile(const int8_t *x, convoy_byte_group group, uint8_t *y,
                                            int32_t pixels, convoy_byte_depth depth,
                                            int32_t channels, int32_t x_step, int32_t y_step,
                                            int32_t first, int32_t table_step, int32_t bytes,
                                            convoy_byte_range range) {
  const int32_t size = first + (depth.blocks + (depth.tail > 0)) * 64;
  const int32_t a = convoy_byte_total(x, bytes, group.zeros);
  const int32_t b = convoy_byte_total(x + x_step, pixels > 1 ? bytes : 0, group.zeros);
  const int32_t c = convoy_byte_total(x + 2 * x_step, pixels > 2 ? bytes : 0, group.zeros);
  convoy_byte_entries shared = {vuninitializedq_s32(), vuninitializedq_s32(), vuninitializedq_s32(),
                                vuninitializedq_s32()};
  if (table_step == 0) {
    shared = convoy_byte_load_entries(group, 0);
    CONVOY_KEEP_VECTORS(shared.multipliers, shared.shifts);
  }
  for (int32_t left = channels; left > 0; left -= 4, y += 4) {
    if (pixels == 1) {
      const convoy_byte_entries entries =
          convoy_byte_next_entries(shared, group, first, table_step);
      group.weights += first;
      const int32x4_t sums = convoy_byte_sums_1(x, &group.weights, depth);
      convoy_byte_store_sums(y, sums, entries, group.zeros, a, range, left);
    } else {
      const convoy_byte_sums_of_3 sums =
          pixels == 2 ? convoy_byte_sums_2(x, x_step, group.weights + first, depth)
                      : convoy_byte_sums_3(x, x_step, group.weights + first, depth);
      const convoy_byte_entries entries =
          convoy_byte_next_entries(shared, group, first, table_step);
      convoy_byte_store_sums(y, sums.a, entries, group.zeros, a, range, left);
      convoy_byte_store_sums(y + y_step, sums.b, entries, group.zeros, b, range, left);
      if (pixels == 3) {
        convoy_byte_store_sums(y + 2 * y_step, sums.c, entries, group.zeros, c, range, left);
      }
      group.weights += size;
    }
    convoy_byte_next_tables(&group, table_step);
  }
}

/* Four channels of all pixels, which have at most 16 bytes. */
CONVOY_INLINE void convoy_byte_product_16(const int8_t *x, convoy_byte_group group, uint8_t *y,
                                          ptrdiff_t pixels, int32_t depth, int32_t readable,
                                          int32_t channels, int32_t x_step, int32_t y_step,
                                          int32_t first, convoy_byte_range range) {
  convoy_byte_entries entries = convoy_byte_load_entries(group, first);
  const int8_t *const w = group.weights + first;
  int8x16_t weights[4] = {vldrbq_s8(w), vldrbq_s8(w + 16), vldrbq_s8(w + 32), vldrbq_s8(w + 48)};
  CONVOY_KEEP_VECTORS(weights[0], weights[1]); /* Clang would load constants in the loop. */
  CONVOY_KEEP_VECTORS(weights[2], weights[3]);
  CONVOY_KEEP_VECTORS(entries.multipliers, entries.shifts);
  for (; pixels > 0; --pixels, x += x_step, y += y_step) {
    const int8x16_t pixel = readable >= 16 ? vldrbq_s8(x) : vldrbq_z_s8(x, vctp8q((uint32_t)depth));
    convoy_byte_store_sums(y, convoy_byte_sums_16(pixel, weights), entries, group.zeros,
                           convoy_byte_total(x, depth, group.zeros), range, channels);
  }
}
#elif defined(CONVOY_DSP)
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
      sums.pixel0_channel0 -= zeros[lane] * total0;
      sums.pixel0_channel1 -= zeros[lane + 1] * total0;
      sums.pixel1_channel0 -= zeros[lane] * total1;
      sums.pixel1_channel1 -= zeros[lane + 1] * total1;
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
