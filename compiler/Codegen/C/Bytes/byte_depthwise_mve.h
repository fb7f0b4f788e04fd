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

/* The steps are asm statements, because the sums and the operands of a step need all registers. The
 * offsets of weights are strings. */
#define CONVOY_DEPTHWISE_FIRST(x, at)                                                              \
  "vldrb.8 q0, [%[" x "]]\n\tvldrb.8 q1, [%[w], #" at "]\n\t"                                      \
  "vmullb.s8 q2, q0, q1\n\tvmullt.s8 q3, q0, q1\n\t"
/* The second load of the input saves a register. */
#define CONVOY_DEPTHWISE_SECOND(x, at)                                                             \
  "vldrb.8 q0, [%[" x "]]\n\tvldrb.8 q1, [%[w], #" at "]\n\t"                                      \
  "vmullb.s8 q0, q0, q1\n\tvadd.i16 q2, q2, q0\n\tvldrb.8 q0, [%[" x "]]\n\t"                      \
  "vmullt.s8 q0, q0, q1\n\tvadd.i16 q3, q3, q0\n\t"
/* Adds the products of even and of odd channels, which have 16 bits. */
#define CONVOY_DEPTHWISE_WIDEN                                                                     \
  "vmovlb.s16 q0, q2\n\tvadd.i32 %q[s0], %q[s0], q0\n\tvmovlt.s16 q1, q2\n\t"                      \
  "vadd.i32 %q[s2], %q[s2], q1\n\tvmovlb.s16 q0, q3\n\tvadd.i32 %q[s1], %q[s1], q0\n\t"            \
  "vmovlt.s16 q1, q3\n\tvadd.i32 %q[s3], %q[s3], q1"
#define CONVOY_DEPTHWISE_SUMS                                                                      \
  [s0] "+w"(sums.s0), [s1] "+w"(sums.s1), [s2] "+w"(sums.s2), [s3] "+w"(sums.s3)

/* Adds the products of two taps; the sum of two products fits in 16 bits. `w` is the address of the
 * weights of tap 4. */
#define CONVOY_DEPTHWISE_PAIR(a, b, at, next)                                                      \
  __asm__ volatile(CONVOY_DEPTHWISE_FIRST("x", at) CONVOY_DEPTHWISE_SECOND("y", next)              \
                       CONVOY_DEPTHWISE_WIDEN                                                      \
                   : CONVOY_DEPTHWISE_SUMS                                                         \
                   : [x] "r"(a), [y] "r"(b), [w] "r"(w)                                            \
                   : "q0", "q1", "q2", "q3", "memory")
#define CONVOY_DEPTHWISE_TAP(a, at)                                                                \
  __asm__ volatile(CONVOY_DEPTHWISE_FIRST("x", at) CONVOY_DEPTHWISE_WIDEN                          \
                   : CONVOY_DEPTHWISE_SUMS                                                         \
                   : [x] "r"(a), [w] "r"(w)                                                        \
                   : "q0", "q1", "q2", "q3", "memory")

/* Adds the products of a tap and weights of 16 bits, those of even and then those of odd channels.
 */
#define CONVOY_DEPTHWISE_WIDE(x, w)                                                                \
  __asm__ volatile("vldrb.8 q0, [%[a]]\n\tvmovlb.s8 q1, q0\n\tvmovlt.s8 q0, q0\n\t"                \
                   "vldrw.32 q2, [%[b]]\n\tvmullb.s16 q3, q1, q2\n\t"                              \
                   "vadd.i32 %q[s0], %q[s0], q3\n\tvmullt.s16 q3, q1, q2\n\t"                      \
                   "vadd.i32 %q[s2], %q[s2], q3\n\tvldrw.32 q2, [%[b], #16]\n\t"                   \
                   "vmullb.s16 q3, q0, q2\n\tvadd.i32 %q[s1], %q[s1], q3\n\t"                      \
                   "vmullt.s16 q3, q0, q2\n\tvadd.i32 %q[s3], %q[s3], q3"                          \
                   : CONVOY_DEPTHWISE_SUMS                                                         \
                   : [a] "r"(x), [b] "r"(w)                                                        \
                   : "q0", "q1", "q2", "q3", "memory")

/* The weights of 16 channels minus their zero points, and the first values of the sums. */
typedef struct {
  int16_t weights[9][16];
  int32_t starts[16];
} convoy_depthwise_wide;

CONVOY_INLINE void convoy_depthwise_widen(const convoy_depthwise_group *group,
                                          convoy_depthwise_wide *wide) {
  const convoy_depthwise_sums zeros = convoy_depthwise_load(group->zeros);
  const int16x8_t undefined = vuninitializedq_s16();
  const int16x8_t even = vmovntq_s32(vmovnbq_s32(undefined, zeros.s0), zeros.s2);
  const int16x8_t odd = vmovntq_s32(vmovnbq_s32(undefined, zeros.s1), zeros.s3);
  for (int32_t tap = 0; tap < 9; ++tap) {
    const int8x16_t w = vldrbq_s8(group->weights + 16 * tap);
    vstrhq_s16(wide->weights[tap], vsubq_s16(vmovlbq_s8(w), even));
    vstrhq_s16(wide->weights[tap] + 8, vsubq_s16(vmovltq_s8(w), odd));
  }
  /* The corrections of the group are those of weights without zero points. */
  const convoy_depthwise_sums start = convoy_depthwise_start(group);
  vstrwq_s32(wide->starts, vmlaq_n_s32(start.s0, zeros.s0, group->input_zeros));
  vstrwq_s32(wide->starts + 4, vmlaq_n_s32(start.s2, zeros.s2, group->input_zeros));
  vstrwq_s32(wide->starts + 8, vmlaq_n_s32(start.s1, zeros.s1, group->input_zeros));
  vstrwq_s32(wide->starts + 12, vmlaq_n_s32(start.s3, zeros.s3, group->input_zeros));
}

#define CONVOY_DEPTHWISE_SCALE(s, at)                                                              \
  "vldrw.32 q0, [%[m], #" at "]\n\tvqdmulh.s32 %q[" s "], %q[" s "], q0\n\t"                       \
  "vldrw.32 q1, [%[s], #" at "]\n\tvrshl.s32 %q[" s "], %q[" s "], q1\n\t"
/* Returns the rescaled bytes in the order of the channels. */
CONVOY_INLINE int8x16_t convoy_depthwise_rescale(convoy_depthwise_sums sums, const int32_t *m,
                                                 const int32_t *s, convoy_byte_range range) {
  __asm__ volatile(
      CONVOY_DEPTHWISE_SCALE("s0", "0") CONVOY_DEPTHWISE_SCALE("s2", "16")
          CONVOY_DEPTHWISE_SCALE("s1", "32") CONVOY_DEPTHWISE_SCALE(
              "s3",
              "48") "vqmovnb.s32 %q[s0], %q[s0]\n\tvqmovnt.s32 %q[s0], %q[s2]\n\t"
                    "vqmovnb.s32 %q[s1], %q[s1]\n\tvqmovnt.s32 %q[s1], %q[s3]\n\t"
                    "vqadd.s16 %q[s0], %q[s0], %[zero]\n\tvqadd.s16 %q[s1], %q[s1], %[zero]\n\t"
                    "vqmovnb.s16 %q[s0], %q[s0]\n\tvqmovnt.s16 %q[s0], %q[s1]"
      : CONVOY_DEPTHWISE_SUMS
      : [m] "r"(m), [s] "r"(s), [zero] "r"(range.zero)
      : "q0", "q1", "memory");
  int8x16_t bytes = vreinterpretq_s8_s32(sums.s0);
  if (range.low > -128 || range.high < 127) {
    bytes =
        vminq_s8(vmaxq_s8(bytes, vdupq_n_s8((int8_t)range.low)), vdupq_n_s8((int8_t)range.high));
  }
  return bytes;
}

/* Like convoy_depthwise_inside, for weights with zero points. */
CONVOY_INLINE void convoy_depthwise_inside_zeros(int8_t *result, const int8_t *x0, const int8_t *x1,
                                                 const int8_t *x2,
                                                 const convoy_depthwise_group *first,
                                                 int32_t groups, int32_t step, int32_t stride,
                                                 int32_t result_stride, int32_t count, int32_t zero,
                                                 int32_t low, int32_t high) {
  convoy_depthwise_group group = *first;
  const convoy_byte_range range = {zero, low, high, 1};
  for (int32_t c = 0; c < 16 * groups; c += 16, convoy_depthwise_next(&group)) {
    convoy_depthwise_wide wide;
    convoy_depthwise_widen(&group, &wide);
    const int8_t *p0 = x0 + c, *p1 = x1 + c, *p2 = x2 + c;
    int8_t *to = result + c;
    for (int32_t i = count; i > 0; --i) {
      convoy_depthwise_sums sums = convoy_depthwise_load(wide.starts);
      CONVOY_DEPTHWISE_WIDE(p0, wide.weights[0]);
      CONVOY_DEPTHWISE_WIDE(p0 + step, wide.weights[1]);
      CONVOY_DEPTHWISE_WIDE(p0 + 2 * step, wide.weights[2]);
      CONVOY_DEPTHWISE_WIDE(p1, wide.weights[3]);
      CONVOY_DEPTHWISE_WIDE(p1 + step, wide.weights[4]);
      CONVOY_DEPTHWISE_WIDE(p1 + 2 * step, wide.weights[5]);
      CONVOY_DEPTHWISE_WIDE(p2, wide.weights[6]);
      CONVOY_DEPTHWISE_WIDE(p2 + step, wide.weights[7]);
      CONVOY_DEPTHWISE_WIDE(p2 + 2 * step, wide.weights[8]);
      vstrbq_s8(to, convoy_depthwise_rescale(sums, group.multipliers, group.shifts, range));
      p0 += stride;
      p1 += stride;
      p2 += stride;
      to += result_stride;
    }
  }
}

/* Computes `count` vectors of results without missing taps for each of some
 * groups of channels. Taps of a row are `step` bytes apart, vectors `stride`
 * bytes in the input and `result_stride` in the result. */
CONVOY_SHARED void convoy_depthwise_inside(int8_t *result, const int8_t *x0, const int8_t *x1,
                                           const int8_t *x2, const convoy_depthwise_group *first,
                                           int32_t groups, int32_t step, int32_t stride,
                                           int32_t result_stride, int32_t count, int32_t zero,
                                           int32_t low, int32_t high, int32_t zero_step) {
  if (zero_step >= 0) {
    convoy_depthwise_inside_zeros(result, x0, x1, x2, first, groups, step, stride, result_stride,
                                  count, zero, low, high);
    return;
  }
  convoy_depthwise_group group = *first;
  const convoy_byte_range range = {zero, low, high, 1};
  for (int32_t c = 0; c < 16 * groups; c += 16, convoy_depthwise_next(&group)) {
    const int8_t *p0 = x0 + c, *p1 = x1 + c, *p2 = x2 + c;
    const int8_t *const w = group.weights + 64;
    const convoy_depthwise_sums start = convoy_depthwise_start(&group);
    int32_t starts[16];
    vstrwq_s32(starts, start.s0);
    vstrwq_s32(starts + 4, start.s2);
    vstrwq_s32(starts + 8, start.s1);
    vstrwq_s32(starts + 12, start.s3);
    int8_t *to = result + c;
    for (int32_t i = count; i > 0; --i) {
      convoy_depthwise_sums sums = convoy_depthwise_load(starts);
      const int8_t *p = p0 + step;
      CONVOY_DEPTHWISE_PAIR(p0, p, "-64", "-48");
      p += step;
      CONVOY_DEPTHWISE_PAIR(p, p1, "-32", "-16");
      p = p1 + step;
      const int8_t *const last = p + step;
      CONVOY_DEPTHWISE_PAIR(p, last, "0", "16");
      p = p2 + step;
      CONVOY_DEPTHWISE_PAIR(p2, p, "32", "48");
      p += step;
      CONVOY_DEPTHWISE_TAP(p, "64");
      vstrbq_s8(to, convoy_depthwise_rescale(sums, group.multipliers, group.shifts, range));
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
                                          int32_t zero, int32_t low, int32_t high,
                                          int32_t zero_step) {
  convoy_depthwise_group group = *first;
  const convoy_byte_range range = {zero, low, high, 1};
  for (int32_t c = 0; c < channels; c += 16, convoy_depthwise_next(&group)) {
    const int8_t *const w = group.weights + 64;
    int8_t bytes[9][16];
    const int8_t *t[9];
    const mve_pred16_t lanes = vctp8q((uint32_t)(channels - c));
    for (int32_t tap = 0; tap < 9; ++tap) {
      t[tap] = taps[tap] + c;
      if (channels - c < 16) { /* The steps read 16 bytes. */
        vstrbq_s8(bytes[tap], vldrbq_z_s8(t[tap], lanes));
        t[tap] = bytes[tap];
      }
    }
    convoy_depthwise_sums sums;
    if (zero_step >= 0) {
      convoy_depthwise_wide wide;
      convoy_depthwise_widen(&group, &wide);
      sums = convoy_depthwise_load(wide.starts);
      for (int32_t tap = 0; tap < 9; ++tap) {
        CONVOY_DEPTHWISE_WIDE(t[tap], wide.weights[tap]);
      }
    } else {
      sums = convoy_depthwise_start(&group);
      CONVOY_DEPTHWISE_PAIR(t[0], t[1], "-64", "-48");
      CONVOY_DEPTHWISE_PAIR(t[2], t[3], "-32", "-16");
      CONVOY_DEPTHWISE_PAIR(t[4], t[5], "0", "16");
      CONVOY_DEPTHWISE_PAIR(t[6], t[7], "32", "48");
      CONVOY_DEPTHWISE_TAP(t[8], "64");
    }
    vstrbq_p_s8(result + c, convoy_depthwise_rescale(sums, group.multipliers, group.shifts, range),
                lanes);
  }
}
#endif
/* END */

#endif
