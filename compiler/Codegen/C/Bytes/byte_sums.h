/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sums of products of bytes for groups of four channels. ByteGroupsAttr (Kernels/ConvBytes)
 * describes the order of the weights: a group has blocks of 16 bytes of each of its channels. */
#ifndef CONVOY_BYTE_SUMS_H
#define CONVOY_BYTE_SUMS_H

#include "byte_keep.h"

/* BEGIN */
#if defined(CONVOY_MVE)
/* Adds the products of 16 bytes of four channels and one pixel. */
#define CONVOY_BYTE_BLOCK(pixel, w)                                                                \
  sum0 = vmladavaq_s8(sum0, pixel, vldrbq_s8(w));                                                  \
  sum1 = vmladavaq_s8(sum1, pixel, vldrbq_s8((w) + 16));                                           \
  sum2 = vmladavaq_s8(sum2, pixel, vldrbq_s8((w) + 32));                                           \
  sum3 = vmladavaq_s8(sum3, pixel, vldrbq_s8((w) + 48))

/* Returns the sums of four channels of one pixel. The last block of weights is padded with zeros;
 * the load of the input is predicated, so that it does not read beyond the pixel. */
CONVOY_INLINE int32x4_t convoy_byte_sums(const int8_t *x, const int8_t *w, int32_t depth) {
  int32_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  if (depth <= 128) { /* Compilers unroll the loop, which pays only for few blocks. */
    for (int32_t block = depth / 16; block > 0; --block, x += 16, w += 64) {
      const int8x16_t pixel = vldrbq_s8(x);
      CONVOY_BYTE_BLOCK(pixel, w);
    }
  } else {
    CONVOY_ROLLED
    for (int32_t block = depth / 16; block > 0; --block, x += 16, w += 64) {
      const int8x16_t pixel = vldrbq_s8(x);
      CONVOY_BYTE_BLOCK(pixel, w);
    }
  }
  if (depth % 16 != 0) {
    const int8x16_t pixel = vldrbq_z_s8(x, vctp8q((uint32_t)depth % 16u));
    CONVOY_BYTE_BLOCK(pixel, w);
  }
  int32x4_t sums = vuninitializedq_s32();
  sums = vsetq_lane_s32(sum0, sums, 0);
  sums = vsetq_lane_s32(sum2, sums, 2);
  sums = vsetq_lane_s32(sum1, sums, 1);
  return vsetq_lane_s32(sum3, sums, 3);
}
#elif defined(CONVOY_DSP)
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

/* Adds the products of two channels and two pixels to `totals`. The function is not inlined,
 * because the sums and the operands of a step need all registers. */
CONVOY_SHARED void convoy_byte_sums_2(const uint8_t *x0, const uint8_t *x1, const uint8_t *w,
                                      int32_t depth, int32_t totals[4]) {
  convoy_byte_sums_of_2 sums = {totals[0], totals[1], totals[2], totals[3]};
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
  totals[0] = sums.pixel0_channel0;
  totals[1] = sums.pixel0_channel1;
  totals[2] = sums.pixel1_channel0;
  totals[3] = sums.pixel1_channel1;
}

/* Adds the products of four bytes of four channels and one pixel. */
CONVOY_INLINE void convoy_byte_step_4(const uint8_t *x, const uint8_t *w, int32_t sums[4]) {
  const convoy_byte_pairs pixel = convoy_byte_load(x);
  for (int32_t channel = 0; channel < 4; ++channel) {
    sums[channel] = convoy_byte_dot(pixel, convoy_byte_load(w + 16 * channel), sums[channel]);
  }
}

/* Adds the products of four channels and one pixel. */
CONVOY_INLINE void convoy_byte_sums(const uint8_t *x, const uint8_t *w, int32_t depth,
                                    int32_t sums[4]) {
  for (int32_t block = depth / 16; block > 0; --block, x += 16, w += 64) {
    for (int32_t i = 0; i < 16; i += 4) {
      convoy_byte_step_4(x + i, w + i, sums);
    }
  }
  const int32_t words = depth % 16 / 4 * 4;
  for (int32_t i = 0; i < words; i += 4) {
    convoy_byte_step_4(x + i, w + i, sums);
  }
  for (int32_t i = words; i < depth % 16; ++i) {
    for (int32_t channel = 0; channel < 4; ++channel) {
      sums[channel] += (int8_t)x[i] * (int8_t)w[16 * channel + i];
    }
  }
}
#else
/* Adds the products of four channels and one pixel. */
CONVOY_INLINE void convoy_byte_sums(const uint8_t *x, const uint8_t *w, int32_t depth,
                                    int32_t sums[4]) {
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  for (int32_t begin = 0; begin < depth; begin += 16, w += 48) {
    const int32_t end = depth - begin < 16 ? depth : begin + 16;
    for (int32_t i = begin; i < end; ++i, ++x, ++w) {
      const int32_t pixel = (int8_t)*x;
      sum0 += pixel * (int8_t)w[0];
      sum1 += pixel * (int8_t)w[16];
      sum2 += pixel * (int8_t)w[32];
      sum3 += pixel * (int8_t)w[48];
    }
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}
#endif
/* END */

#endif
