/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sums of products of bytes with MVE. A step multiplies 16 bytes of one, two or three pixels. The
 * steps are asm statements: compilers move the loads of several steps to the front, and then store
 * vectors to the stack. The sums need even registers (Te). */
#ifndef CONVOY_BYTE_SUMS_MVE_H
#define CONVOY_BYTE_SUMS_MVE_H

#include "byte_keep.h"

/* BEGIN */
#if defined(CONVOY_MVE)
/* Two channels of a group of four: 0 and 2, or 1 and 3. `at` is the rest of an address. */
#define CONVOY_BYTE_PAIR "vldrb.8 q0, [%[w]], #32\n\tvldrb.8 q1, [%[w]], #32\n\t"
#define CONVOY_BYTE_PIXEL(add, x, at, s)                                                           \
  "vldrb.8 q2, [%[" x "]" at "\n\t" add " %[" s "0], q2, q0\n\t" add " %[" s "1], q2, q1\n\t"
/* All four channels of a group. */
#define CONVOY_BYTE_CHANNEL(add, s) "vldrb.8 q0, [%[w]], #16\n\t" add " %[" s "], q2, q0\n\t"

#define CONVOY_BYTE_TEXT_3(add, at)                                                                \
  CONVOY_BYTE_PAIR CONVOY_BYTE_PIXEL(add, "x", at, "a") CONVOY_BYTE_PIXEL(add, "y", at, "b")       \
      CONVOY_BYTE_PIXEL(add, "z", at, "c")
#define CONVOY_BYTE_TEXT_2(add, at)                                                                \
  CONVOY_BYTE_PAIR CONVOY_BYTE_PIXEL(add, "x", at, "a") CONVOY_BYTE_PIXEL(add, "y", at, "b")
#define CONVOY_BYTE_TEXT_1(add, at)                                                                \
  "vldrb.8 q2, [%[x]" at "\n\t" CONVOY_BYTE_CHANNEL(add, "a0") CONVOY_BYTE_CHANNEL(add, "b0")      \
      CONVOY_BYTE_CHANNEL(add, "a1") CONVOY_BYTE_CHANNEL(add, "b1")

/* A step at an offset, and a step that advances the addresses. */
#define CONVOY_BYTE_STEP_3(add, as, at)                                                            \
  __asm__ volatile(                                                                                \
      CONVOY_BYTE_TEXT_3(add, ", #" at "]")                                                        \
      : [a0] as(a0), [a1] as(a1), [b0] as(b0), [b1] as(b1), [c0] as(c0), [c1] as(c1), [w] "+r"(w)  \
      : [x] "r"(x), [y] "r"(y), [z] "r"(z)                                                         \
      : "q0", "q1", "q2", "memory")
#define CONVOY_BYTE_WALK_3                                                                         \
  __asm__ volatile(                                                                                \
      CONVOY_BYTE_TEXT_3("vmladava.s8", "], #16")                                                  \
      : [a0] "+Te"(a0), [a1] "+Te"(a1), [b0] "+Te"(b0), [b1] "+Te"(b1), [c0] "+Te"(c0),            \
        [c1] "+Te"(c1), [x] "+r"(x), [y] "+r"(y), [z] "+r"(z), [w] "+r"(w)                         \
      :                                                                                            \
      : "q0", "q1", "q2", "memory")
#define CONVOY_BYTE_STEP_2(add, as, at)                                                            \
  __asm__ volatile(CONVOY_BYTE_TEXT_2(add, ", #" at "]")                                           \
                   : [a0] as(a0), [a1] as(a1), [b0] as(b0), [b1] as(b1), [w] "+r"(w)               \
                   : [x] "r"(x), [y] "r"(y)                                                        \
                   : "q0", "q1", "q2", "memory")
#define CONVOY_BYTE_WALK_2                                                                         \
  __asm__ volatile(CONVOY_BYTE_TEXT_2("vmladava.s8", "], #16")                                     \
                   : [a0] "+Te"(a0), [a1] "+Te"(a1), [b0] "+Te"(b0), [b1] "+Te"(b1), [x] "+r"(x),  \
                     [y] "+r"(y), [w] "+r"(w)                                                      \
                   :                                                                               \
                   : "q0", "q1", "q2", "memory")
#define CONVOY_BYTE_STEP_1(add, as, at)                                                            \
  __asm__ volatile(CONVOY_BYTE_TEXT_1(add, ", #" at "]")                                           \
                   : [a0] as(a0), [a1] as(a1), [b0] as(b0), [b1] as(b1), [w] "+r"(w)               \
                   : [x] "r"(x)                                                                    \
                   : "q0", "q2", "memory")
#define CONVOY_BYTE_WALK_1                                                                         \
  __asm__ volatile(                                                                                \
      CONVOY_BYTE_TEXT_1("vmladava.s8", "], #16")                                                  \
      : [a0] "+Te"(a0), [a1] "+Te"(a1), [b0] "+Te"(b0), [b1] "+Te"(b1), [x] "+r"(x), [w] "+r"(w)   \
      :                                                                                            \
      : "q0", "q2", "memory")

/* Steps 0 to `blocks` - 1, of at most 8. Step 0 sets the sums. */
#define CONVOY_BYTE_STEP_IF(step, number, at)                                                      \
  if (blocks > (number)) {                                                                         \
    step("vmladava.s8", "+Te", at);                                                                \
  }
#define CONVOY_BYTE_STEPS(step)                                                                    \
  if (blocks > 0) {                                                                                \
    step("vmladav.s8", "=&Te", "0");                                                               \
  }                                                                                                \
  CONVOY_BYTE_STEP_IF(step, 1, "16")                                                               \
  CONVOY_BYTE_STEP_IF(step, 2, "32")                                                               \
  CONVOY_BYTE_STEP_IF(step, 3, "48")                                                               \
  CONVOY_BYTE_STEP_IF(step, 4, "64")                                                               \
  CONVOY_BYTE_STEP_IF(step, 5, "80")                                                               \
  CONVOY_BYTE_STEP_IF(step, 6, "96")                                                               \
  CONVOY_BYTE_STEP_IF(step, 7, "112")
/* The other steps. */
#define CONVOY_BYTE_WALKS(walk)                                                                    \
  CONVOY_ROLLED                                                                                    \
  for (int32_t i = (blocks - 8) / 4; i > 0; --i) {                                                 \
    walk;                                                                                          \
    walk;                                                                                          \
    walk;                                                                                          \
    walk;                                                                                          \
  }                                                                                                \
  CONVOY_UNROLLED                                                                                  \
  for (int32_t i = (blocks - 8) % 4; i > 0; --i) {                                                 \
    walk;                                                                                          \
  }

/* Adds the products of a pixel's last bytes. */
#define CONVOY_BYTE_LAST(x, s, w0, w1)                                                             \
  do {                                                                                             \
    const int8x16_t pixel = vldrbq_z_s8((x) + 16 * (blocks <= 8 ? blocks : 0), last);              \
    s##0 = blocks > 0 ? vmladavaq_s8(s##0, pixel, w0) : vmladavq_s8(pixel, w0);                    \
    s##1 = blocks > 0 ? vmladavaq_s8(s##1, pixel, w1) : vmladavq_s8(pixel, w1);                    \
  } while (0)

/* Sets lanes 0 and 2, or with `odd` lanes 1 and 3, of a vector. */
CONVOY_INLINE int32x4_t convoy_byte_lanes(int32x4_t vector, int32_t odd, int32_t low,
                                          int32_t high) {
  if (odd != 0) {
    __asm__ volatile("vmov %q0[3], %q0[1], %1, %2" : "+w"(vector) : "r"(low), "r"(high));
  } else {
    __asm__ volatile("vmov %q0[2], %q0[0], %1, %2" : "=w"(vector) : "r"(low), "r"(high));
  }
  return vector;
}

/* The bytes of a pixel: `blocks` times 16 bytes, and then `tail` bytes. The last block of weights
 * is padded with zeros. */
typedef struct {
  int32_t blocks, tail;
} convoy_byte_depth;

CONVOY_INLINE convoy_byte_depth convoy_byte_split(int32_t depth, int32_t readable) {
  const int32_t all = (depth + 15) / 16;
  const convoy_byte_depth split = {readable >= 16 * all ? all : depth / 16,
                                   readable >= 16 * all ? 0 : depth % 16};
  return split;
}

/* The sums of four channels of up to three pixels. */
typedef struct {
  int32x4_t a, b, c;
} convoy_byte_sums_of_3;

/* The weights of a group start at `weights`. */
CONVOY_INLINE convoy_byte_sums_of_3 convoy_byte_sums_3(const int8_t *from, int32_t step,
                                                       const int8_t *weights,
                                                       convoy_byte_depth depth) {
  const int32_t blocks = depth.blocks;
  convoy_byte_sums_of_3 sums = {vuninitializedq_s32(), vuninitializedq_s32(),
                                vuninitializedq_s32()};
  CONVOY_UNROLLED
  for (int32_t odd = 0; odd < 2; ++odd) {
    const int8_t *x = from, *y = x + step, *z = y + step, *w = weights + 16 * odd;
    int32_t a0 = 0, a1 = 0, b0 = 0, b1 = 0, c0 = 0, c1 = 0;
    CONVOY_BYTE_STEPS(CONVOY_BYTE_STEP_3)
    if (blocks > 8) {
      x += 128;
      y += 128;
      z += 128;
      CONVOY_BYTE_WALKS(CONVOY_BYTE_WALK_3)
    }
    if (depth.tail > 0) {
      const mve_pred16_t last = vctp8q((uint32_t)depth.tail);
      const int8x16_t w0 = vldrbq_s8(w), w1 = vldrbq_s8(w + 32);
      CONVOY_BYTE_LAST(x, a, w0, w1);
      CONVOY_BYTE_LAST(y, b, w0, w1);
      CONVOY_BYTE_LAST(z, c, w0, w1);
    }
    sums.a = convoy_byte_lanes(sums.a, odd, a0, a1);
    sums.b = convoy_byte_lanes(sums.b, odd, b0, b1);
    sums.c = convoy_byte_lanes(sums.c, odd, c0, c1);
  }
  return sums;
}

CONVOY_INLINE convoy_byte_sums_of_3 convoy_byte_sums_2(const int8_t *from, int32_t step,
                                                       const int8_t *weights,
                                                       convoy_byte_depth depth) {
  const int32_t blocks = depth.blocks;
  convoy_byte_sums_of_3 sums = {vuninitializedq_s32(), vuninitializedq_s32(),
                                vuninitializedq_s32()};
  CONVOY_UNROLLED
  for (int32_t odd = 0; odd < 2; ++odd) {
    const int8_t *x = from, *y = x + step, *w = weights + 16 * odd;
    int32_t a0 = 0, a1 = 0, b0 = 0, b1 = 0;
    CONVOY_BYTE_STEPS(CONVOY_BYTE_STEP_2)
    if (blocks > 8) {
      x += 128;
      y += 128;
      CONVOY_BYTE_WALKS(CONVOY_BYTE_WALK_2)
    }
    if (depth.tail > 0) {
      const mve_pred16_t last = vctp8q((uint32_t)depth.tail);
      const int8x16_t w0 = vldrbq_s8(w), w1 = vldrbq_s8(w + 32);
      CONVOY_BYTE_LAST(x, a, w0, w1);
      CONVOY_BYTE_LAST(y, b, w0, w1);
    }
    sums.a = convoy_byte_lanes(sums.a, odd, a0, a1);
    sums.b = convoy_byte_lanes(sums.b, odd, b0, b1);
  }
  return sums;
}

/* Advances the address of the weights to the next group. */
CONVOY_INLINE int32x4_t convoy_byte_sums_1(const int8_t *x, const int8_t **weights,
                                           convoy_byte_depth depth) {
  const int32_t blocks = depth.blocks;
  const int8_t *w = *weights;
  int32_t a0 = 0, a1 = 0, b0 = 0, b1 = 0;
  CONVOY_BYTE_STEPS(CONVOY_BYTE_STEP_1)
  if (blocks > 8) {
    x += 128;
    CONVOY_BYTE_WALKS(CONVOY_BYTE_WALK_1)
  }
  if (depth.tail > 0) {
    const mve_pred16_t last = vctp8q((uint32_t)depth.tail);
    CONVOY_BYTE_LAST(x, a, vldrbq_s8(w), vldrbq_s8(w + 32));
    CONVOY_BYTE_LAST(x, b, vldrbq_s8(w + 16), vldrbq_s8(w + 48));
    w += 64;
  }
  *weights = w;
  return convoy_byte_lanes(convoy_byte_lanes(vuninitializedq_s32(), 0, a0, a1), 1, b0, b1);
}

/* The sums of four channels of one pixel with at most 16 bytes. The weights stay in registers. */
CONVOY_INLINE int32x4_t convoy_byte_sums_16(int8x16_t pixel, const int8x16_t weights[4]) {
  const int32_t a0 = vmladavq_s8(pixel, weights[0]), a1 = vmladavq_s8(pixel, weights[2]);
  const int32_t b0 = vmladavq_s8(pixel, weights[1]), b1 = vmladavq_s8(pixel, weights[3]);
  return convoy_byte_lanes(convoy_byte_lanes(vuninitializedq_s32(), 0, a0, a1), 1, b0, b1);
}
#endif
/* END */

#endif
