/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Depthwise convolution with MVE: 16 channels, or several pixels with 16 bytes, per vector. */
#ifndef CONVOY_BYTE_DEPTHWISE_MVE_H
#define CONVOY_BYTE_DEPTHWISE_MVE_H

#include "byte_depthwise_group.h"

/* BEGIN */
#if defined(CONVOY_MVE)
/* The sums of channels 0 4 8 12, 2 6 10 14, 1 5 9 13 and 3 7 11 15. */
typedef struct {
  int32x4_t s0, s2, s1, s3;
} convoy_depthwise_sums;

CONVOY_INLINE convoy_depthwise_sums convoy_depthwise_load(const int32_t *from) {
  const convoy_depthwise_sums loaded = {vldrwq_s32(from), vldrwq_s32(from + 4),
                                        vldrwq_s32(from + 8), vldrwq_s32(from + 12)};
  return loaded;
}

CONVOY_INLINE convoy_depthwise_sums convoy_depthwise_start(const convoy_depthwise_group *group) {
  convoy_depthwise_sums sums = convoy_depthwise_load(group->biases);
  if (group->corrections != NULL) {
    const convoy_depthwise_sums more = convoy_depthwise_load(group->corrections);
    sums.s0 = vaddq_s32(sums.s0, more.s0);
    sums.s2 = vaddq_s32(sums.s2, more.s2);
    sums.s1 = vaddq_s32(sums.s1, more.s1);
    sums.s3 = vaddq_s32(sums.s3, more.s3);
  }
  return sums;
}

/* Adds products of even and of odd channels, which have 16 bits. */
CONVOY_INLINE void convoy_depthwise_add(convoy_depthwise_sums *sums, int16x8_t even,
                                        int16x8_t odd) {
  sums->s0 = vaddq_s32(sums->s0, vmovlbq_s16(even));
  sums->s2 = vaddq_s32(sums->s2, vmovltq_s16(even));
  sums->s1 = vaddq_s32(sums->s1, vmovlbq_s16(odd));
  sums->s3 = vaddq_s32(sums->s3, vmovltq_s16(odd));
  CONVOY_KEEP_VECTORS(sums->s0, sums->s2);
  CONVOY_KEEP_VECTORS(sums->s1, sums->s3);
}

CONVOY_INLINE void convoy_depthwise_tap(convoy_depthwise_sums *sums, int8x16_t x,
                                        const int8_t *weights) {
  const int8x16_t w = vldrbq_s8(weights);
  convoy_depthwise_add(sums, vmullbq_int_s8(x, w), vmulltq_int_s8(x, w));
}

/* Adds the products of two taps; the sum of two products fits in 16 bits. */
CONVOY_INLINE void convoy_depthwise_pair(convoy_depthwise_sums *sums, int8x16_t first,
                                         int8x16_t second, const int8_t *weights) {
  int8x16_t w = vldrbq_s8(weights);
  int16x8_t even = vmullbq_int_s8(first, w), odd = vmulltq_int_s8(first, w);
  CONVOY_KEEP_VECTORS(even, odd);
  w = vldrbq_s8(weights + 16);
  even = vaddq_s16(even, vmullbq_int_s8(second, w));
  odd = vaddq_s16(odd, vmulltq_int_s8(second, w));
  convoy_depthwise_add(sums, even, odd);
}

/* Returns the rescaled bytes in the order of the channels. */
CONVOY_INLINE int8x16_t convoy_depthwise_rescale(convoy_depthwise_sums sums, const int32_t *m,
                                                 const int32_t *s, convoy_byte_range range) {
  sums.s0 = vrshlq_s32(vqdmulhq_s32(sums.s0, vldrwq_s32(m)), vldrwq_s32(s));
  sums.s2 = vrshlq_s32(vqdmulhq_s32(sums.s2, vldrwq_s32(m + 4)), vldrwq_s32(s + 4));
  sums.s1 = vrshlq_s32(vqdmulhq_s32(sums.s1, vldrwq_s32(m + 8)), vldrwq_s32(s + 8));
  sums.s3 = vrshlq_s32(vqdmulhq_s32(sums.s3, vldrwq_s32(m + 12)), vldrwq_s32(s + 12));
  int16x8_t even = vqmovntq_s32(vqmovnbq_s32(vreinterpretq_s16_s32(sums.s0), sums.s0), sums.s2);
  int16x8_t odd = vqmovntq_s32(vqmovnbq_s32(vreinterpretq_s16_s32(sums.s1), sums.s1), sums.s3);
  even = vqaddq_n_s16(even, (int16_t)range.zero);
  odd = vqaddq_n_s16(odd, (int16_t)range.zero);
  int8x16_t bytes = vqmovntq_s16(vqmovnbq_s16(vreinterpretq_s8_s16(even), even), odd);
  if (range.low > -128 || range.high < 127) {
    bytes =
        vminq_s8(vmaxq_s8(bytes, vdupq_n_s8((int8_t)range.low)), vdupq_n_s8((int8_t)range.high));
  }
  return bytes;
}

/* Computes `count` vectors of results without missing taps for each of some
 * groups of channels. Taps of a row are `step` bytes apart, vectors `stride`
 * bytes in the input and `result_stride` in the result. */
CONVOY_SHARED void convoy_depthwise_inside(int8_t *result, const int8_t *x0, const int8_t *x1,
                                           const int8_t *x2, const convoy_depthwise_group *first,
                                           int32_t groups, int32_t step, int32_t stride,
                                           int32_t result_stride, int32_t count,
                                           const convoy_byte_range *results) {
  convoy_depthwise_group group = *first;
  const convoy_byte_range range = *results;
  for (int32_t c = 0; c < 16 * groups; c += 16, convoy_depthwise_next(&group)) {
    const int8_t *p0 = x0 + c, *p1 = x1 + c, *p2 = x2 + c;
    const int8_t *w = group.weights;
    const int32_t *m = group.multipliers, *s = group.shifts;
    const convoy_depthwise_sums first = convoy_depthwise_start(&group);
    int32_t start[16];
    vstrwq_s32(start, first.s0);
    vstrwq_s32(start + 4, first.s2);
    vstrwq_s32(start + 8, first.s1);
    vstrwq_s32(start + 12, first.s3);
    const int32_t *b = start;
    int8_t *to = result + c;
    for (int32_t i = count; i > 0; --i) {
      CONVOY_KEEP_NUMBERS(w, m, s, b);
      convoy_depthwise_sums sums = convoy_depthwise_load(b);
      const int8_t *p = p0 + step;
      convoy_depthwise_pair(&sums, vldrbq_s8(p0), vldrbq_s8(p), w);
      p += step;
      convoy_depthwise_pair(&sums, vldrbq_s8(p), vldrbq_s8(p1), w + 32);
      p = p1 + step;
      convoy_depthwise_pair(&sums, vldrbq_s8(p), vldrbq_s8(p + step), w + 64);
      p = p2 + step;
      convoy_depthwise_pair(&sums, vldrbq_s8(p2), vldrbq_s8(p), w + 96);
      p += step;
      convoy_depthwise_tap(&sums, vldrbq_s8(p), w + 128);
      vstrbq_s8(to, convoy_depthwise_rescale(sums, m, s, range));
      p0 += stride;
      p1 += stride;
      p2 += stride;
      to += result_stride;
    }
  }
}

/* Computes one pixel. `taps` has the addresses of its taps. */
CONVOY_SHARED void convoy_depthwise_pixel(int8_t *result, const int8_t *const *taps,
                                          const convoy_depthwise_group *first, int32_t channels,
                                          const convoy_byte_range *results) {
  convoy_depthwise_group group = *first;
  const convoy_byte_range range = *results;
  for (int32_t c = 0; c < channels; c += 16, convoy_depthwise_next(&group)) {
    const int8_t *const w = group.weights;
    convoy_depthwise_sums sums = convoy_depthwise_start(&group);
    const mve_pred16_t tail = vctp8q((uint32_t)(channels - c));
    for (int32_t tap = 0; tap < 8; tap += 2) {
      const int8x16_t first = vldrbq_z_s8(taps[tap] + c, tail);
      const int8x16_t second = vldrbq_z_s8(taps[tap + 1] + c, tail);
      convoy_depthwise_pair(&sums, first, second, w + 16 * tap);
    }
    convoy_depthwise_tap(&sums, vldrbq_z_s8(taps[8] + c, tail), w + 128);
    vstrbq_p_s8(result + c, convoy_depthwise_rescale(sums, group.multipliers, group.shifts, range),
                tail);
  }
}
#endif
/* END */

#endif
