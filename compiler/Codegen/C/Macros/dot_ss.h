/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * kernel.dot_bytes with signs `ss`: adds the dot product of four signed bytes of x and of w to each
 * lane of sums. The plain body defines the result. Only 64-bit Arm has the instruction, so vectors
 * have four lanes. */
#ifndef CONVOY_DOT_SS_H
#define CONVOY_DOT_SS_H

#include "vector_machine.h"

/* BEGIN */
#if defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_DOT_SS_4(sums, x, w)                                                                \
  ((u32x4)vdotq_s32((int32x4_t)(sums), (int8x16_t)(x), (int8x16_t)(w)))
#else
#define CONVOY_DOT_SS_4(sums, x, w)                                                                \
  __extension__({                                                                                  \
    const u32x4 x_ = (x), w_ = (w);                                                                \
    (sums) + (u32x4)(((i32x4)(x_ << 24) >> 24) * ((i32x4)(w_ << 24) >> 24)) +                      \
        (u32x4)(((i32x4)(x_ << 16) >> 24) * ((i32x4)(w_ << 16) >> 24)) +                           \
        (u32x4)(((i32x4)(x_ << 8) >> 24) * ((i32x4)(w_ << 8) >> 24)) +                             \
        (u32x4)(((i32x4)x_ >> 24) * ((i32x4)w_ >> 24));                                            \
  })
#endif
/* END */

#endif
