/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Converts vectors of f16, represented by their bits, to f32. The plain body defines the result:
 * the product with 2^112 corrects the exponent of normal and subnormal numbers, and infinity and
 * NaN get the largest exponent. */
#ifndef CONVOY_WIDEN_HALVES_H
#define CONVOY_WIDEN_HALVES_H

#include "vector_machine.h"

/* BEGIN */
/* U and F are the types of 32-bit integers and floats. */
#define CONVOY_WIDEN_HALVES_PLAIN(U, F, x)                                                         \
  __extension__({                                                                                  \
    const U wide_ = __builtin_convertvector(x, U);                                                 \
    const U magnitude_ = wide_ & 0x7FFFu;                                                          \
    const U value_ = (U)((F)(magnitude_ << 13) * 5192296858534827628530496329220096.0f);           \
    const U special_ = (U)(magnitude_ >= 0x7C00u) & 0x7F800000u;                                   \
    (F)(value_ | special_ | ((wide_ & 0x8000u) << 16));                                            \
  })

#if defined(__AVX512F__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_WIDEN_HALVES_16(x) ((f32x16)_mm512_cvtph_ps((__m256i)(x)))
#else
#define CONVOY_WIDEN_HALVES_16(x) CONVOY_WIDEN_HALVES_PLAIN(u32x16, f32x16, x)
#endif

#if defined(__F16C__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_WIDEN_HALVES_8(x) ((f32x8)_mm256_cvtph_ps((__m128i)(x)))
#else
#define CONVOY_WIDEN_HALVES_8(x) CONVOY_WIDEN_HALVES_PLAIN(u32x8, f32x8, x)
#endif

#if defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_WIDEN_HALVES_4(x) CONVOY_WIDEN_HALVES_PLAIN(u32x4, f32x4, x)
#elif defined(__F16C__) && defined(__x86_64__)
#define CONVOY_WIDEN_HALVES_4(x) ((f32x4)_mm_cvtph_ps(_mm_cvtsi64_si128((long long)(x))))
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define CONVOY_WIDEN_HALVES_4(x) ((f32x4)vcvt_f32_f16((float16x4_t)(x)))
#else
#define CONVOY_WIDEN_HALVES_4(x) CONVOY_WIDEN_HALVES_PLAIN(u32x4, f32x4, x)
#endif
/* END */

#endif
