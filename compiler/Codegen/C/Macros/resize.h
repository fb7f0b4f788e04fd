/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Converts between vectors of 8-bit and of 32-bit integers. gcc 12 converts each lane separately if
 * the width changes by a factor of four in one step, so the plain bodies have two steps. */
#ifndef CONVOY_RESIZE_H
#define CONVOY_RESIZE_H

#include "vector_machine.h"

/* BEGIN */
#define CONVOY_RESIZE_PLAIN(x, middle, to)                                                         \
  __builtin_convertvector(__builtin_convertvector(x, middle), to)

#if defined(__AVX512F__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_EXTEND_U8_16(x) ((u32x16)_mm512_cvtepu8_epi32((__m128i)(x)))
#define CONVOY_EXTEND_I8_16(x) ((u32x16)_mm512_cvtepi8_epi32((__m128i)(x)))
#define CONVOY_TRUNCATE_U32_16(x) ((u8x16)_mm512_cvtepi32_epi8((__m512i)(x)))
#else
#define CONVOY_EXTEND_U8_16(x) CONVOY_RESIZE_PLAIN(x, u16x16, u32x16)
#define CONVOY_EXTEND_I8_16(x) CONVOY_RESIZE_PLAIN((i8x16)(x), i16x16, u32x16)
#define CONVOY_TRUNCATE_U32_16(x) CONVOY_RESIZE_PLAIN(x, u16x16, u8x16)
#endif

#if defined(__AVX2__) && defined(__x86_64__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_EXTEND_U8_8(x) ((u32x8)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)(x))))
#define CONVOY_EXTEND_I8_8(x) ((u32x8)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)(x))))
/* The lowest bytes of the lanes of each half are in the first lane of the half after the shuffle.
 */
#define CONVOY_TRUNCATE_U32_8(x)                                                                   \
  __extension__({                                                                                  \
    const __m256i bytes_ = _mm256_shuffle_epi8((__m256i)(x), _mm256_set1_epi32(0x0c080400));       \
    (u8x8) _mm_cvtsi128_si64(                                                                      \
        _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes_), _mm256_extracti128_si256(bytes_, 1)));  \
  })
#else
#define CONVOY_EXTEND_U8_8(x) CONVOY_RESIZE_PLAIN(x, u16x8, u32x8)
#define CONVOY_EXTEND_I8_8(x) CONVOY_RESIZE_PLAIN((i8x8)(x), i16x8, u32x8)
#define CONVOY_TRUNCATE_U32_8(x) CONVOY_RESIZE_PLAIN(x, u16x8, u8x8)
#endif

#if defined(__SSE4_1__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_EXTEND_U8_4(x) ((u32x4)_mm_cvtepu8_epi32(_mm_cvtsi32_si128((int)(x))))
#define CONVOY_EXTEND_I8_4(x) ((u32x4)_mm_cvtepi8_epi32(_mm_cvtsi32_si128((int)(x))))
#define CONVOY_TRUNCATE_U32_4(x)                                                                   \
  ((u8x4)_mm_cvtsi128_si32(_mm_shuffle_epi8((__m128i)(x), _mm_set1_epi32(0x0c080400))))
#else
#define CONVOY_EXTEND_U8_4(x) CONVOY_RESIZE_PLAIN(x, u16x4, u32x4)
#define CONVOY_EXTEND_I8_4(x) CONVOY_RESIZE_PLAIN((i8x4)(x), i16x4, u32x4)
#define CONVOY_TRUNCATE_U32_4(x) CONVOY_RESIZE_PLAIN(x, u16x4, u8x4)
#endif
/* END */

#endif
