/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Gathers, masked loads and masked stores of 32-bit elements. The plain bodies define the results:
 * an element whose mask is 0 is not accessed. V is the type of the vector and I the type of the
 * indices, with 64 bits on 64-bit machines; masks have 32 bits. */
#ifndef CONVOY_LANE_MEMORY_H
#define CONVOY_LANE_MEMORY_H

#include "vector_machine.h"

/* BEGIN */
#define CONVOY_GATHER_PLAIN(V, I, M, lanes, base, indices, mask, other)                            \
  __extension__({                                                                                  \
    V result_ = (other);                                                                           \
    const I indices_ = (indices);                                                                  \
    const M mask_ = (mask);                                                                        \
    for (int l_ = 0; l_ < (lanes); ++l_) {                                                         \
      if (mask_[l_] != 0) {                                                                        \
        result_[l_] = (base)[indices_[l_]];                                                        \
      }                                                                                            \
    }                                                                                              \
    result_;                                                                                       \
  })
#define CONVOY_LOAD_IF_PLAIN(V, M, lanes, address, mask, other)                                    \
  __extension__({                                                                                  \
    V result_ = (other);                                                                           \
    const M mask_ = (mask);                                                                        \
    for (int l_ = 0; l_ < (lanes); ++l_) {                                                         \
      if (mask_[l_] != 0) {                                                                        \
        result_[l_] = (address)[l_];                                                               \
      }                                                                                            \
    }                                                                                              \
    result_;                                                                                       \
  })
#define CONVOY_STORE_IF_PLAIN(V, M, lanes, address, mask, value)                                   \
  do {                                                                                             \
    const V value_ = (value);                                                                      \
    const M mask_ = (mask);                                                                        \
    for (int l_ = 0; l_ < (lanes); ++l_) {                                                         \
      if (mask_[l_] != 0) {                                                                        \
        (address)[l_] = value_[l_];                                                                \
      }                                                                                            \
    }                                                                                              \
  } while (0)

#if defined(__AVX512F__) && defined(__LP64__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_LANE_BITS_16(mask) _mm512_test_epi32_mask((__m512i)(mask), (__m512i)(mask))
#define CONVOY_GATHER_16(V, I, base, indices, mask, other)                                         \
  __extension__({                                                                                  \
    const union {                                                                                  \
      I whole;                                                                                     \
      __m512i halves[2];                                                                           \
    } indices_ = {(indices)};                                                                      \
    const __mmask16 bits_ = CONVOY_LANE_BITS_16(mask);                                             \
    const __m512i other_ = (__m512i)(other);                                                       \
    const __m256i low_ = _mm512_mask_i64gather_epi32(                                              \
        _mm512_castsi512_si256(other_), (__mmask8)bits_, indices_.halves[0], base, 4);             \
    const __m256i high_ =                                                                          \
        _mm512_mask_i64gather_epi32(_mm512_extracti64x4_epi64(other_, 1), (__mmask8)(bits_ >> 8),  \
                                    indices_.halves[1], base, 4);                                  \
    (V) _mm512_inserti64x4(_mm512_castsi256_si512(low_), high_, 1);                                \
  })
#define CONVOY_LOAD_IF_16(V, address, mask, other)                                                 \
  ((V)_mm512_mask_loadu_epi32((__m512i)(other), CONVOY_LANE_BITS_16(mask), address))
#define CONVOY_STORE_IF_16(V, address, mask, value)                                                \
  _mm512_mask_storeu_epi32(address, CONVOY_LANE_BITS_16(mask), (__m512i)(value))
#else
#define CONVOY_GATHER_16(V, I, base, indices, mask, other)                                         \
  CONVOY_GATHER_PLAIN(V, I, i32x16, 16, base, indices, mask, other)
#define CONVOY_LOAD_IF_16(V, address, mask, other)                                                 \
  CONVOY_LOAD_IF_PLAIN(V, i32x16, 16, address, mask, other)
#define CONVOY_STORE_IF_16(V, address, mask, value)                                                \
  CONVOY_STORE_IF_PLAIN(V, i32x16, 16, address, mask, value)
#endif

#if defined(__AVX2__) && defined(__LP64__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_GATHER_8(V, I, base, indices, mask, other)                                          \
  __extension__({                                                                                  \
    const union {                                                                                  \
      I whole;                                                                                     \
      __m256i halves[2];                                                                           \
    } indices_ = {(indices)};                                                                      \
    const __m256i mask_ = (__m256i)(mask), other_ = (__m256i)(other);                              \
    const int *const base_ = (const int *)(const void *)(base);                                    \
    const __m128i low_ =                                                                           \
        _mm256_mask_i64gather_epi32(_mm256_castsi256_si128(other_), base_, indices_.halves[0],     \
                                    _mm256_castsi256_si128(mask_), 4);                             \
    const __m128i high_ =                                                                          \
        _mm256_mask_i64gather_epi32(_mm256_extracti128_si256(other_, 1), base_,                    \
                                    indices_.halves[1], _mm256_extracti128_si256(mask_, 1), 4);    \
    (V) _mm256_inserti128_si256(_mm256_castsi128_si256(low_), high_, 1);                           \
  })
#define CONVOY_LOAD_IF_8(V, address, mask, other)                                                  \
  __extension__({                                                                                  \
    const __m256i mask_ = (__m256i)(mask);                                                         \
    (V) _mm256_blendv_epi8((__m256i)(other),                                                       \
                           _mm256_maskload_epi32((const int *)(const void *)(address), mask_),     \
                           mask_);                                                                 \
  })
#define CONVOY_STORE_IF_8(V, address, mask, value)                                                 \
  _mm256_maskstore_epi32((int *)(void *)(address), (__m256i)(mask), (__m256i)(value))
#else
#define CONVOY_GATHER_8(V, I, base, indices, mask, other)                                          \
  CONVOY_GATHER_PLAIN(V, I, i32x8, 8, base, indices, mask, other)
#define CONVOY_LOAD_IF_8(V, address, mask, other)                                                  \
  CONVOY_LOAD_IF_PLAIN(V, i32x8, 8, address, mask, other)
#define CONVOY_STORE_IF_8(V, address, mask, value)                                                 \
  CONVOY_STORE_IF_PLAIN(V, i32x8, 8, address, mask, value)
#endif
/* END */

#endif
