/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * kernel.dot_words: adds the dot product of two signed words of x and of w to each lane of sums.
 * The plain body defines the result. */
#ifndef CONVOY_DOT_WORDS_H
#define CONVOY_DOT_WORDS_H

#include "vector_machine.h"

/* BEGIN */
/* U and S are the types of unsigned and signed lanes. */
#define CONVOY_DOT_WORDS_PLAIN(U, S, sums, x, w)                                                   \
  __extension__({                                                                                  \
    const U x_ = (x), w_ = (w);                                                                    \
    (sums) + (U)((S)(x_ << 16) >> 16) * (U)((S)(w_ << 16) >> 16) +                                 \
        (U)((S)x_ >> 16) * (U)((S)w_ >> 16);                                                       \
  })

#if defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_DOT_WORDS_16(sums, x, w) CONVOY_DOT_WORDS_PLAIN(u32x16, i32x16, sums, x, w)
#elif defined(__AVX512VNNI__)
#define CONVOY_DOT_WORDS_16(sums, x, w)                                                            \
  ((u32x16)_mm512_dpwssd_epi32((__m512i)(sums), (__m512i)(x), (__m512i)(w)))
#elif defined(__AVX512BW__)
#define CONVOY_DOT_WORDS_16(sums, x, w)                                                            \
  ((sums) + (u32x16)_mm512_madd_epi16((__m512i)(x), (__m512i)(w)))
#else
#define CONVOY_DOT_WORDS_16(sums, x, w) CONVOY_DOT_WORDS_PLAIN(u32x16, i32x16, sums, x, w)
#endif

#if defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_DOT_WORDS_8(sums, x, w) CONVOY_DOT_WORDS_PLAIN(u32x8, i32x8, sums, x, w)
#elif defined(__AVX512VNNI__) && defined(__AVX512VL__)
#define CONVOY_DOT_WORDS_8(sums, x, w)                                                             \
  ((u32x8)_mm256_dpwssd_epi32((__m256i)(sums), (__m256i)(x), (__m256i)(w)))
#elif defined(__AVXVNNI__)
#define CONVOY_DOT_WORDS_8(sums, x, w)                                                             \
  ((u32x8)_mm256_dpwssd_avx_epi32((__m256i)(sums), (__m256i)(x), (__m256i)(w)))
#elif defined(__AVX2__)
#define CONVOY_DOT_WORDS_8(sums, x, w)                                                             \
  ((sums) + (u32x8)_mm256_madd_epi16((__m256i)(x), (__m256i)(w)))
#else
#define CONVOY_DOT_WORDS_8(sums, x, w) CONVOY_DOT_WORDS_PLAIN(u32x8, i32x8, sums, x, w)
#endif

#if defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_DOT_WORDS_4(sums, x, w) CONVOY_DOT_WORDS_PLAIN(u32x4, i32x4, sums, x, w)
#elif defined(__AVX512VNNI__) && defined(__AVX512VL__)
#define CONVOY_DOT_WORDS_4(sums, x, w)                                                             \
  ((u32x4)_mm_dpwssd_epi32((__m128i)(sums), (__m128i)(x), (__m128i)(w)))
#elif defined(__AVXVNNI__)
#define CONVOY_DOT_WORDS_4(sums, x, w)                                                             \
  ((u32x4)_mm_dpwssd_avx_epi32((__m128i)(sums), (__m128i)(x), (__m128i)(w)))
#elif defined(__SSE2__)
#define CONVOY_DOT_WORDS_4(sums, x, w) ((sums) + (u32x4)_mm_madd_epi16((__m128i)(x), (__m128i)(w)))
#else
#define CONVOY_DOT_WORDS_4(sums, x, w) CONVOY_DOT_WORDS_PLAIN(u32x4, i32x4, sums, x, w)
#endif
/* END */

#endif
