/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * kernel.dot_bytes with signs `us`: adds the dot product of four unsigned bytes of x and four
 * signed bytes of w to each lane of sums. The plain body defines the result. The bodies with
 * vpmaddwd multiply even and odd bytes as words; a pair of products fits in 32 bits. */
#ifndef CONVOY_DOT_US_H
#define CONVOY_DOT_US_H

#include "vector_machine.h"

/* BEGIN */
/* U and S are the types of unsigned and signed lanes. */
#define CONVOY_DOT_US_PLAIN(U, S, sums, x, w)                                                      \
  __extension__({                                                                                  \
    const U x_ = (x), w_ = (w);                                                                    \
    (sums) + (x_ & 255u) * (U)((S)(w_ << 24) >> 24) +                                              \
        ((x_ >> 8) & 255u) * (U)((S)(w_ << 16) >> 24) +                                            \
        ((x_ >> 16) & 255u) * (U)((S)(w_ << 8) >> 24) + (x_ >> 24) * (U)((S)w_ >> 24);             \
  })

#if defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_DOT_US_16(sums, x, w) CONVOY_DOT_US_PLAIN(u32x16, i32x16, sums, x, w)
#elif defined(__AVX512VNNI__)
#define CONVOY_DOT_US_16(sums, x, w)                                                               \
  ((u32x16)_mm512_dpbusd_epi32((__m512i)(sums), (__m512i)(x), (__m512i)(w)))
#elif defined(__AVX512BW__)
#define CONVOY_DOT_US_16(sums, x, w)                                                               \
  __extension__({                                                                                  \
    const __m512i x_ = (__m512i)(x), w_ = (__m512i)(w);                                            \
    const __m512i even_ = _mm512_madd_epi16(_mm512_and_si512(x_, _mm512_set1_epi16(255)),          \
                                            _mm512_srai_epi16(_mm512_slli_epi16(w_, 8), 8));       \
    const __m512i odd_ = _mm512_madd_epi16(_mm512_srli_epi16(x_, 8), _mm512_srai_epi16(w_, 8));    \
    (sums) + (u32x16)even_ + (u32x16)odd_;                                                         \
  })
#else
#define CONVOY_DOT_US_16(sums, x, w) CONVOY_DOT_US_PLAIN(u32x16, i32x16, sums, x, w)
#endif

#if defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_DOT_US_8(sums, x, w) CONVOY_DOT_US_PLAIN(u32x8, i32x8, sums, x, w)
#elif defined(__AVX512VNNI__) && defined(__AVX512VL__)
#define CONVOY_DOT_US_8(sums, x, w)                                                                \
  ((u32x8)_mm256_dpbusd_epi32((__m256i)(sums), (__m256i)(x), (__m256i)(w)))
#elif defined(__AVXVNNI__)
#define CONVOY_DOT_US_8(sums, x, w)                                                                \
  ((u32x8)_mm256_dpbusd_avx_epi32((__m256i)(sums), (__m256i)(x), (__m256i)(w)))
#elif defined(__AVX2__)
#define CONVOY_DOT_US_8(sums, x, w)                                                                \
  __extension__({                                                                                  \
    const __m256i x_ = (__m256i)(x), w_ = (__m256i)(w);                                            \
    const __m256i even_ = _mm256_madd_epi16(_mm256_and_si256(x_, _mm256_set1_epi16(255)),          \
                                            _mm256_srai_epi16(_mm256_slli_epi16(w_, 8), 8));       \
    const __m256i odd_ = _mm256_madd_epi16(_mm256_srli_epi16(x_, 8), _mm256_srai_epi16(w_, 8));    \
    (sums) + (u32x8)even_ + (u32x8)odd_;                                                           \
  })
#else
#define CONVOY_DOT_US_8(sums, x, w) CONVOY_DOT_US_PLAIN(u32x8, i32x8, sums, x, w)
#endif

#if defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_DOT_US_4(sums, x, w) CONVOY_DOT_US_PLAIN(u32x4, i32x4, sums, x, w)
#elif defined(__AVX512VNNI__) && defined(__AVX512VL__)
#define CONVOY_DOT_US_4(sums, x, w)                                                                \
  ((u32x4)_mm_dpbusd_epi32((__m128i)(sums), (__m128i)(x), (__m128i)(w)))
#elif defined(__AVXVNNI__)
#define CONVOY_DOT_US_4(sums, x, w)                                                                \
  ((u32x4)_mm_dpbusd_avx_epi32((__m128i)(sums), (__m128i)(x), (__m128i)(w)))
#elif defined(__SSE2__)
#define CONVOY_DOT_US_4(sums, x, w)                                                                \
  __extension__({                                                                                  \
    const __m128i x_ = (__m128i)(x), w_ = (__m128i)(w);                                            \
    const __m128i even_ = _mm_madd_epi16(_mm_and_si128(x_, _mm_set1_epi16(255)),                   \
                                         _mm_srai_epi16(_mm_slli_epi16(w_, 8), 8));                \
    const __m128i odd_ = _mm_madd_epi16(_mm_srli_epi16(x_, 8), _mm_srai_epi16(w_, 8));             \
    (sums) + (u32x4)even_ + (u32x4)odd_;                                                           \
  })
#elif defined(__ARM_FEATURE_MATMUL_INT8) && defined(__aarch64__)
#define CONVOY_DOT_US_4(sums, x, w)                                                                \
  ((u32x4)vusdotq_s32((int32x4_t)(sums), (uint8x16_t)(x), (int8x16_t)(w)))
#else
#define CONVOY_DOT_US_4(sums, x, w) CONVOY_DOT_US_PLAIN(u32x4, i32x4, sums, x, w)
#endif
/* END */

#endif
