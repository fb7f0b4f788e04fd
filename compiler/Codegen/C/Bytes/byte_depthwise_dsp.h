/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Depthwise convolution with the DSP instructions of Armv7E-M: four channels per word. */
#ifndef CONVOY_BYTE_DEPTHWISE_DSP_H
#define CONVOY_BYTE_DEPTHWISE_DSP_H

#include "byte_depthwise_group.h"

/* BEGIN */
#if defined(CONVOY_DSP)
/* The sums of four channels. */
typedef struct {
  int32_t s0, s1, s2, s3;
} convoy_depthwise_sums;

/* `quarter` says which four channels of the group. */
CONVOY_INLINE convoy_depthwise_sums convoy_depthwise_start(const convoy_depthwise_group *group,
                                                           int32_t quarter) {
  const int32_t *const b = group->biases + quarter, *const c = group->corrections + quarter;
  convoy_depthwise_sums sums = {b[0], b[8], b[4], b[12]};
  if (group->corrections != NULL) {
    sums.s0 += c[0];
    sums.s1 += c[8];
    sums.s2 += c[4];
    sums.s3 += c[12];
  }
  return sums;
}

/* Adds the products of one tap. */
CONVOY_INLINE void convoy_depthwise_add(convoy_depthwise_sums *sums, const int8_t *from,
                                        const int8_t *weights) {
  const uint32_t x = convoy_byte_load_4(from), w = convoy_byte_load_4(weights);
  const int32_t x02 = __sxtb16((int8x4_t)x), x13 = convoy_byte_odd(x);
  const int32_t w02 = __sxtb16((int8x4_t)w), w13 = convoy_byte_odd(w);
  sums->s0 = __smlabb(x02, w02, sums->s0);
  sums->s1 = __smlabb(x13, w13, sums->s1);
  sums->s2 = __smlatt(x02, w02, sums->s2);
  sums->s3 = __smlatt(x13, w13, sums->s3);
  CONVOY_KEEP_NUMBERS(sums->s0, sums->s1, sums->s2, sums->s3);
}

/* Subtracts the zero points of the weights times the total of the taps minus the zero point of the
 * input. */
CONVOY_INLINE void convoy_depthwise_correct(convoy_depthwise_sums *sums, const int8_t *const *taps,
                                            int32_t at, const convoy_depthwise_group *group,
                                            int32_t quarter) {
  int32_t even = 0, odd = 0; /* pairs of totals */
  for (int32_t tap = 0; tap < 9; ++tap) {
    const uint32_t x = convoy_byte_load_4(taps[tap] + at);
    even = __sadd16(even, __sxtb16((int8x4_t)x));
    odd = __sadd16(odd, convoy_byte_odd(x));
  }
  const int32_t *const z = group->zeros + quarter;
  sums->s0 -= z[0] * ((int16_t)even - group->input_zeros);
  sums->s1 -= z[8] * ((int16_t)odd - group->input_zeros);
  sums->s2 -= z[4] * ((even >> 16) - group->input_zeros);
  sums->s3 -= z[12] * ((odd >> 16) - group->input_zeros);
}

CONVOY_INLINE void convoy_depthwise_store(int8_t *to, convoy_depthwise_sums sums,
                                          const convoy_depthwise_group *group, int32_t quarter,
                                          convoy_byte_range range) {
  const int32_t *const m = group->multipliers + quarter, *const s = group->shifts + quarter;
  to[0] = (int8_t)convoy_byte_rescale_up(sums.s0, m[0], s[0], range);
  to[1] = (int8_t)convoy_byte_rescale_up(sums.s1, m[8], s[8], range);
  to[2] = (int8_t)convoy_byte_rescale_up(sums.s2, m[4], s[4], range);
  to[3] = (int8_t)convoy_byte_rescale_up(sums.s3, m[12], s[12], range);
}

/* Adds the products of a row of taps with extended weights. */
CONVOY_INLINE void convoy_depthwise_add_row(convoy_depthwise_sums *sums, const int8_t *from,
                                            int32_t step, const int32_t *w) {
  for (int32_t tap = 0; tap < 3; ++tap, from += step, w += 2) {
    const uint32_t x = convoy_byte_load_4(from);
    const int32_t x02 = __sxtb16((int8x4_t)x), x13 = convoy_byte_odd(x);
    sums->s0 = __smlabb(x02, w[0], sums->s0);
    sums->s2 = __smlatt(x02, w[0], sums->s2);
    sums->s1 = __smlabb(x13, w[1], sums->s1);
    sums->s3 = __smlatt(x13, w[1], sums->s3);
    CONVOY_KEEP_NUMBERS(sums->s0, sums->s1, sums->s2, sums->s3);
  }
}

CONVOY_SHARED void convoy_depthwise_inside(int8_t *result, const int8_t *x0, const int8_t *x1,
                                           const int8_t *x2, const convoy_depthwise_group *first,
                                           int32_t groups, int32_t step, int32_t stride,
                                           int32_t result_stride, int32_t count, int32_t zero,
                                           int32_t low, int32_t high, int32_t zero_step) {
  convoy_depthwise_group group = *first;
  const convoy_byte_range range = {zero, low, high, 1};
  for (int32_t c = 0; c < 16 * groups; c += 4) {
    const int32_t quarter = (c >> 2) & 3;
    convoy_depthwise_sums start = convoy_depthwise_start(&group, quarter);
    int32_t zeros02 = 0, zeros13 = 0;
    if (zero_step >= 0) { /* Weights minus their zero points fit in 16 bits. */
      const int32_t *const z = group.zeros + quarter;
      zeros02 = (z[0] & 0xffff) | (int32_t)((uint32_t)z[4] << 16);
      zeros13 = (z[8] & 0xffff) | (int32_t)((uint32_t)z[12] << 16);
      start.s0 += z[0] * group.input_zeros;
      start.s1 += z[8] * group.input_zeros;
      start.s2 += z[4] * group.input_zeros;
      start.s3 += z[12] * group.input_zeros;
    }
    int32_t w[18];
    for (int32_t tap = 0; tap < 9; ++tap) {
      const uint32_t four = convoy_byte_load_4(group.weights + 4 * quarter + 16 * tap);
      w[2 * tap] = __sxtb16((int8x4_t)four);
      w[2 * tap + 1] = convoy_byte_odd(four);
      if (zero_step >= 0) {
        w[2 * tap] = __ssub16(w[2 * tap], zeros02);
        w[2 * tap + 1] = __ssub16(w[2 * tap + 1], zeros13);
      }
    }
    ptrdiff_t at = c;
    int8_t *to = result + c;
    for (int32_t i = count; i > 0; --i, at += stride, to += result_stride) {
      convoy_depthwise_sums sums = start;
      convoy_depthwise_add_row(&sums, x0 + at, step, w);
      convoy_depthwise_add_row(&sums, x1 + at, step, w + 6);
      convoy_depthwise_add_row(&sums, x2 + at, step, w + 12);
      convoy_depthwise_store(to, sums, &group, quarter, range);
    }
    if (quarter == 3) {
      convoy_depthwise_next(&group);
    }
  }
}
#endif
/* END */

#endif
