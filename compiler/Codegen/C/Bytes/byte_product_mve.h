/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The product of pixels and a matrix of weights with MVE. */
#ifndef CONVOY_BYTE_PRODUCT_MVE_H
#define CONVOY_BYTE_PRODUCT_MVE_H

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
#endif
/* END */

#endif
