/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * kernel.multiply_halves: the product of the lower, signed halves of x and y in each 64-bit lane.
 * The plain body defines the result. */
#ifndef CONVOY_MULTIPLY_HALVES_H
#define CONVOY_MULTIPLY_HALVES_H

#include "vector_machine.h"

/* BEGIN */
/* U and S are the types of unsigned and signed lanes. */
#define CONVOY_MULTIPLY_HALVES_PLAIN(U, S, x, y)                                                   \
  ((U)((S)((x) << 32) >> 32) * (U)((S)((y) << 32) >> 32))

#if defined(__AVX512F__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_MULTIPLY_HALVES_8(x, y) ((u64x8)_mm512_mul_epi32((__m512i)(x), (__m512i)(y)))
#else
#define CONVOY_MULTIPLY_HALVES_8(x, y) CONVOY_MULTIPLY_HALVES_PLAIN(u64x8, i64x8, x, y)
#endif

#if defined(__AVX2__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_MULTIPLY_HALVES_4(x, y) ((u64x4)_mm256_mul_epi32((__m256i)(x), (__m256i)(y)))
#else
#define CONVOY_MULTIPLY_HALVES_4(x, y) CONVOY_MULTIPLY_HALVES_PLAIN(u64x4, i64x4, x, y)
#endif

#if defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_MULTIPLY_HALVES_2(x, y) CONVOY_MULTIPLY_HALVES_PLAIN(u64x2, i64x2, x, y)
#elif defined(__SSE4_1__)
#define CONVOY_MULTIPLY_HALVES_2(x, y) ((u64x2)_mm_mul_epi32((__m128i)(x), (__m128i)(y)))
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define CONVOY_MULTIPLY_HALVES_2(x, y)                                                             \
  ((u64x2)vmull_s32(vmovn_s64((int64x2_t)(x)), vmovn_s64((int64x2_t)(y))))
#else
#define CONVOY_MULTIPLY_HALVES_2(x, y) CONVOY_MULTIPLY_HALVES_PLAIN(u64x2, i64x2, x, y)
#endif
/* END */

#endif
