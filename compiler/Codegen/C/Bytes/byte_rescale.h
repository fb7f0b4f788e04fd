/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rescales sums to bytes. RescaleTableAttr (Kernels/Kernel.td) describes the tables. */
#ifndef CONVOY_BYTE_RESCALE_H
#define CONVOY_BYTE_RESCALE_H

#include "byte_machine.h"

/* BEGIN */
/* The zero point and the range of the results, and the rounding of ties: 0 away from zero, 1 up, 2
 * to even. */
typedef struct {
  int32_t zero, low, high, rounding;
} convoy_byte_range;

/* Adds the zero point and clamps. */
CONVOY_INLINE uint8_t convoy_byte_clamp(int32_t rounded, convoy_byte_range range) {
  const int32_t value = rounded + range.zero;
#if defined(__ARM_FEATURE_SAT) && defined(__GNUC__) /* compilers do not find ssat */
  if (range.low == -128 && range.high == 127) {
    int32_t byte;
    __asm__("ssat %0, #8, %1" : "=r"(byte) : "r"(value));
    return (uint8_t)byte;
  }
#endif
  return (uint8_t)(value < range.low ? range.low : value > range.high ? range.high : value);
}

/* Returns round(sum * multiplier / 2^s) + zero, clamped. `shift` is 31 - s, at most -1 and
 * at least -31. Rounds up first; ties then go down if the rounding says so. */
CONVOY_INLINE uint8_t convoy_byte_rescale(int32_t sum, int32_t multiplier, int32_t shift,
                                          convoy_byte_range range) {
  const int64_t product = (int64_t)sum * multiplier;
  const int32_t upper = (int32_t)(product >> 31);
  const int32_t twice = upper >> ~shift;
  int32_t value = (twice >> 1) + (twice & 1);
  if (range.rounding != 1) {
    const int64_t half = (int64_t)1 << (30 - shift);
    const int32_t isTie = (product & (half | (half - 1))) == half;
    value -= range.rounding == 0 ? isTie & (sum < 0) : isTie & value;
  }
  return convoy_byte_clamp(value, range);
}

/* Returns the same for ties that round up and |sum| < 2^31 - 512, which the templates of products
 * check: the zero point and one half are added before the last shift. */
CONVOY_INLINE uint8_t convoy_byte_rescale_up(int32_t sum, int32_t multiplier, int32_t shift,
                                             convoy_byte_range range) {
  const int32_t upper = (int32_t)(((int64_t)sum * multiplier) >> 31);
  int32_t value = ((upper >> ~shift) + (2 * range.zero + 1)) >> 1;
#if defined(__ARM_FEATURE_SAT) && defined(__GNUC__) /* compilers do not find ssat */
  __asm__("ssat %0, #8, %0" : "+r"(value));
  if (range.low == -128 && range.high == 127) {
    return (uint8_t)value;
  }
#endif
  return (uint8_t)(value < range.low ? range.low : value > range.high ? range.high : value);
}

/* Calls the function that the rounding permits. */
CONVOY_INLINE uint8_t convoy_byte_rescale_product(int32_t sum, int32_t multiplier, int32_t shift,
                                                  convoy_byte_range range) {
  return range.rounding == 1 ? convoy_byte_rescale_up(sum, multiplier, shift, range)
                             : convoy_byte_rescale(sum, multiplier, shift, range);
}

#if defined(CONVOY_MVE)
/* Corrects ties that were rounded up. `rest` is 0 in the lanes of ties, and `sign` has the sign of
 * the sums. Uses no predicates, because gcc 12 fails on some of them. */
CONVOY_INLINE int32x4_t convoy_byte_round_ties_4(int32x4_t rounded, int32x4_t rest, int32x4_t sign,
                                                 int32_t rounding) {
  const int32x4_t ties = vshrq_n_s32(vclzq_s32(rest), 5);
  const int32x4_t down =
      rounding == 0 ? vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(sign), 31)) : rounded;
  return vsubq_s32(rounded, vandq_s32(ties, down));
}

/* Adds the zero point and clamps. The results are the lowest bytes of the lanes. Saturation
 * replaces the clamp to all bytes and needs no registers. */
CONVOY_INLINE int32x4_t convoy_byte_clamp_4(int32x4_t rounded, convoy_byte_range range) {
  int32x4_t values = vaddq_n_s32(rounded, range.zero);
  /* gcc 12 copies the operand of the intrinsics. */
  __asm__("vqmovnb.s32 %q0, %q0\n\tvqmovnb.s16 %q0, %q0" : "+w"(values));
  int8x16_t bytes = vreinterpretq_s8_s32(values);
  if (range.low > -128) {
    bytes = vmaxq_s8(bytes, vdupq_n_s8((int8_t)range.low));
  }
  if (range.high < 127) {
    bytes = vminq_s8(bytes, vdupq_n_s8((int8_t)range.high));
  }
  return vreinterpretq_s32_s8(bytes);
}

/* Stores the first `count` of four clamped bytes, or all if `count` is 4 or more. */
CONVOY_INLINE void convoy_byte_store_4(uint8_t *to, int32x4_t rounded, convoy_byte_range range,
                                       int32_t count) {
  if (count >= 4) {
    vstrbq_s32((int8_t *)to, convoy_byte_clamp_4(rounded, range));
  } else {
    vstrbq_p_s32((int8_t *)to, convoy_byte_clamp_4(rounded, range), vctp32q((uint32_t)count));
  }
}

/* Rescales and stores four sums like convoy_byte_rescale. */
CONVOY_INLINE void convoy_byte_rescale_4(uint8_t *to, int32x4_t sums, int32x4_t multipliers,
                                         int32x4_t shifts, convoy_byte_range range, int32_t count) {
  const int32x4_t upper = vqdmulhq_s32(sums, multipliers);
  int32x4_t rounded = vrshlq_s32(upper, shifts);
  if (range.rounding != 1) {
    /* A tie has a one and then only zeros after the point. */
    const int32x4_t lower = vmulq_s32(vaddq_s32(sums, sums), multipliers);
    const int32x4_t dropped = vshlq_s32(upper, vaddq_n_s32(shifts, 32));
    const int32x4_t rest = vorrq_s32(lower, veorq_s32(dropped, vdupq_n_s32(INT32_MIN)));
    rounded = convoy_byte_round_ties_4(rounded, rest, upper, range.rounding);
  }
  convoy_byte_store_4(to, rounded, range, count);
}
#endif
/* END */

#endif
