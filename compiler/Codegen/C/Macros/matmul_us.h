/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * kernel.matmul_bytes: x holds two rows of eight unsigned bytes, w two rows of eight signed bytes.
 * Lane 2 * i + j of sums gets the dot product of row i of x and row j of w. The plain body is two
 * dot products of four bytes and defines the result. */
#ifndef CONVOY_MATMUL_US_H
#define CONVOY_MATMUL_US_H

#include "dot_us.h"

/* BEGIN */
#if defined(__ARM_FEATURE_MATMUL_INT8) && defined(__aarch64__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_MATMUL_US_4(sums, x, w)                                                             \
  ((u32x4)vusmmlaq_s32((int32x4_t)(sums), (uint8x16_t)(x), (int8x16_t)(w)))
#else
#define CONVOY_MATMUL_US_4(sums, x, w)                                                             \
  __extension__({                                                                                  \
    const u32x4 rows_ = (x), columns_ = (w);                                                       \
    const u32x4 x0_ = {rows_[0], rows_[0], rows_[2], rows_[2]};                                    \
    const u32x4 x1_ = {rows_[1], rows_[1], rows_[3], rows_[3]};                                    \
    const u32x4 w0_ = {columns_[0], columns_[2], columns_[0], columns_[2]};                        \
    const u32x4 w1_ = {columns_[1], columns_[3], columns_[1], columns_[3]};                        \
    const u32x4 half_ = CONVOY_DOT_US_4(sums, x0_, w0_);                                           \
    CONVOY_DOT_US_4(half_, x1_, w1_);                                                              \
  })
#endif
/* END */

#endif
