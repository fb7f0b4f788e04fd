/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sums of products of bytes with the DSP instructions of Armv7E-M. */
#ifndef CONVOY_BYTE_SUMS_DSP_H
#define CONVOY_BYTE_SUMS_DSP_H

#include "byte_keep.h"

/* BEGIN */
#if defined(CONVOY_DSP)
/* Bytes 0 and 2 in the halves of a word, and bytes 1 and 3. */
typedef struct {
  int16x2_t even, odd;
} convoy_byte_pairs;

CONVOY_INLINE convoy_byte_pairs convoy_byte_load(const uint8_t *from) {
  int8x4_t word;
  memcpy(&word, from, sizeof word);
  convoy_byte_pairs pairs;
#if defined(__GNUC__)
  /* No intrinsic rotates its operand. In the order of the text, the steps need no spills. */
  __asm__ volatile("sxtb16 %0, %1" : "=r"(pairs.even) : "r"(word));
  __asm__ volatile("sxtb16 %0, %1, ror #8" : "=r"(pairs.odd) : "r"(word));
#else
  pairs.even = __sxtb16(word);
  pairs.odd = __sxtb16((int8x4_t)((uint32_t)word >> 8));
#endif
  return pairs;
}

CONVOY_INLINE int32_t convoy_byte_dot(convoy_byte_pairs x, convoy_byte_pairs w, int32_t sum) {
  return __smlad(x.odd, w.odd, __smlad(x.even, w.even, sum));
}

/* The sums of two channels and two pixels. */
typedef struct {
  int32_t pixel0_channel0, pixel0_channel1, pixel1_channel0, pixel1_channel1;
} convoy_byte_sums_of_2;

/* Subtracts the zero points of two channels of weights times the totals of two pixels. */
CONVOY_INLINE void convoy_byte_correct_2(convoy_byte_sums_of_2 *sums, const int32_t *zeros,
                                         int32_t total0, int32_t total1) {
  sums->pixel0_channel0 -= zeros[0] * total0;
  sums->pixel0_channel1 -= zeros[1] * total0;
  sums->pixel1_channel0 -= zeros[0] * total1;
  sums->pixel1_channel1 -= zeros[1] * total1;
}

/* Adds the products of four bytes of two channels and two pixels. */
CONVOY_INLINE void convoy_byte_step_2(const uint8_t *x0, const uint8_t *x1, const uint8_t *w,
                                      convoy_byte_sums_of_2 *sums) {
  const convoy_byte_pairs w0 = convoy_byte_load(w), w1 = convoy_byte_load(w + 16);
  const convoy_byte_pairs pixel0 = convoy_byte_load(x0);
  sums->pixel0_channel0 = convoy_byte_dot(pixel0, w0, sums->pixel0_channel0);
  sums->pixel0_channel1 = convoy_byte_dot(pixel0, w1, sums->pixel0_channel1);
  const convoy_byte_pairs pixel1 = convoy_byte_load(x1);
  sums->pixel1_channel0 = convoy_byte_dot(pixel1, w0, sums->pixel1_channel0);
  sums->pixel1_channel1 = convoy_byte_dot(pixel1, w1, sums->pixel1_channel1);
}

/* Adds the products of two channels and two pixels. */
CONVOY_INLINE void convoy_byte_sums_2(const uint8_t *x0, const uint8_t *x1, const uint8_t *w,
                                      int32_t depth, convoy_byte_sums_of_2 *totals) {
  convoy_byte_sums_of_2 sums = *totals;
  const uint8_t *const end = x0 + (depth & ~15);
  for (; x0 != end; x0 += 16, x1 += 16, w += 64) {
    convoy_byte_step_2(x0, x1, w, &sums);
    convoy_byte_step_2(x0 + 4, x1 + 4, w + 4, &sums);
    convoy_byte_step_2(x0 + 8, x1 + 8, w + 8, &sums);
    convoy_byte_step_2(x0 + 12, x1 + 12, w + 12, &sums);
  }
  int32_t rest = depth & 15;
  for (; rest >= 4; rest -= 4, x0 += 4, x1 += 4, w += 4) {
    convoy_byte_step_2(x0, x1, w, &sums);
  }
  for (; rest > 0; --rest, ++x0, ++x1, ++w) {
    sums.pixel0_channel0 += (int8_t)x0[0] * (int8_t)w[0];
    sums.pixel0_channel1 += (int8_t)x0[0] * (int8_t)w[16];
    sums.pixel1_channel0 += (int8_t)x1[0] * (int8_t)w[0];
    sums.pixel1_channel1 += (int8_t)x1[0] * (int8_t)w[16];
  }
  *totals = sums;
}

/* Loads four numbers that convoy_byte_extend wrote, and advances. */
CONVOY_INLINE convoy_byte_pairs convoy_byte_load_wide(const uint8_t **from) {
  convoy_byte_pairs pairs;
#if defined(__GNUC__)
  __asm__ volatile("ldrd %0, %1, [%2], #8"
                   : "=&r"(pairs.even), "=&r"(pairs.odd), "+r"(*from)
                   :
                   : "memory");
#else
  memcpy(&pairs, *from, sizeof pairs);
  *from += sizeof pairs;
#endif
  return pairs;
}

CONVOY_INLINE void convoy_byte_step_wide_2(const uint8_t **x0, const uint8_t **x1, const uint8_t *w,
                                           convoy_byte_sums_of_2 *sums) {
  const convoy_byte_pairs w0 = convoy_byte_load(w), w1 = convoy_byte_load(w + 16);
  const convoy_byte_pairs pixel0 = convoy_byte_load_wide(x0);
  sums->pixel0_channel0 = convoy_byte_dot(pixel0, w0, sums->pixel0_channel0);
  sums->pixel0_channel1 = convoy_byte_dot(pixel0, w1, sums->pixel0_channel1);
  const convoy_byte_pairs pixel1 = convoy_byte_load_wide(x1);
  sums->pixel1_channel0 = convoy_byte_dot(pixel1, w0, sums->pixel1_channel0);
  sums->pixel1_channel1 = convoy_byte_dot(pixel1, w1, sums->pixel1_channel1);
}

/* Like convoy_byte_sums_2, with numbers that convoy_byte_extend wrote. */
CONVOY_INLINE void convoy_byte_sums_wide_2(const uint8_t *x0, const uint8_t *x1, const uint8_t *w,
                                           int32_t depth, convoy_byte_sums_of_2 *totals) {
  convoy_byte_sums_of_2 sums = *totals;
  const uint8_t *const end = x0 + 2 * (depth & ~15);
  for (; x0 != end; w += 64) {
    convoy_byte_step_wide_2(&x0, &x1, w, &sums);
    convoy_byte_step_wide_2(&x0, &x1, w + 4, &sums);
    convoy_byte_step_wide_2(&x0, &x1, w + 8, &sums);
    convoy_byte_step_wide_2(&x0, &x1, w + 12, &sums);
  }
  for (int32_t rest = depth & 15; rest > 0; rest -= 4, w += 4) {
    convoy_byte_step_wide_2(&x0, &x1, w, &sums);
  }
  *totals = sums;
}

/* Adds the products of four bytes of four channels and one pixel. */
CONVOY_INLINE void convoy_byte_step_4(const uint8_t *x, const uint8_t *w, int32_t sums[4]) {
  const convoy_byte_pairs pixel = convoy_byte_load(x);
  sums[0] = convoy_byte_dot(pixel, convoy_byte_load(w), sums[0]);
  sums[1] = convoy_byte_dot(pixel, convoy_byte_load(w + 16), sums[1]);
  sums[2] = convoy_byte_dot(pixel, convoy_byte_load(w + 32), sums[2]);
  sums[3] = convoy_byte_dot(pixel, convoy_byte_load(w + 48), sums[3]);
}

/* Adds the products of four channels and one pixel. */
CONVOY_INLINE void convoy_byte_sums(const uint8_t *x, const uint8_t *w, int32_t depth,
                                    int32_t sums[4]) {
  const uint8_t *const end = x + (depth & ~15);
  for (; x != end; x += 16, w += 64) {
    convoy_byte_step_4(x, w, sums);
    convoy_byte_step_4(x + 4, w + 4, sums);
    convoy_byte_step_4(x + 8, w + 8, sums);
    convoy_byte_step_4(x + 12, w + 12, sums);
  }
  int32_t rest = depth & 15;
  for (; rest >= 4; rest -= 4, x += 4, w += 4) {
    convoy_byte_step_4(x, w, sums);
  }
  for (; rest > 0; --rest, ++x, ++w) {
    sums[0] += (int8_t)x[0] * (int8_t)w[0];
    sums[1] += (int8_t)x[0] * (int8_t)w[16];
    sums[2] += (int8_t)x[0] * (int8_t)w[32];
    sums[3] += (int8_t)x[0] * (int8_t)w[48];
  }
}

CONVOY_INLINE void convoy_byte_step_wide_4(const uint8_t **x, const uint8_t *w, int32_t sums[4]) {
  const convoy_byte_pairs pixel = convoy_byte_load_wide(x);
  sums[0] = convoy_byte_dot(pixel, convoy_byte_load(w), sums[0]);
  sums[1] = convoy_byte_dot(pixel, convoy_byte_load(w + 16), sums[1]);
  sums[2] = convoy_byte_dot(pixel, convoy_byte_load(w + 32), sums[2]);
  sums[3] = convoy_byte_dot(pixel, convoy_byte_load(w + 48), sums[3]);
}

/* Like convoy_byte_sums, with numbers that convoy_byte_extend wrote. */
CONVOY_INLINE void convoy_byte_sums_wide(const uint8_t *x, const uint8_t *w, int32_t depth,
                                         int32_t sums[4]) {
  const uint8_t *const end = x + 2 * (depth & ~15);
  for (; x != end; w += 64) {
    convoy_byte_step_wide_4(&x, w, sums);
    convoy_byte_step_wide_4(&x, w + 4, sums);
    convoy_byte_step_wide_4(&x, w + 8, sums);
    convoy_byte_step_wide_4(&x, w + 12, sums);
  }
  for (int32_t rest = depth & 15; rest > 0; rest -= 4, w += 4) {
    convoy_byte_step_wide_4(&x, w, sums);
  }
}
#endif
/* END */

#endif
