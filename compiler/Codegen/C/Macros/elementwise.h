/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of math.h on vectors of f32. The plain bodies define the results. clang has builtins
 * for vectors. gcc 12 has none: without intrinsics it vectorizes each loop over lanes separately,
 * which takes twenty times the compile time and fails in long functions. */
#ifndef CONVOY_ELEMENTWISE_H
#define CONVOY_ELEMENTWISE_H

#include "vector_machine.h"

/* BEGIN */
#define CONVOY_LANES_OF_1(V, lanes, function, a)                                                   \
  __extension__({                                                                                  \
    V a_ = (a), r_ = a_;                                                                           \
    for (int l_ = 0; l_ < (lanes); ++l_) {                                                         \
      r_[l_] = function(a_[l_]);                                                                   \
    }                                                                                              \
    r_;                                                                                            \
  })
#define CONVOY_LANES_OF_3(V, lanes, function, a, b, c)                                             \
  __extension__({                                                                                  \
    V a_ = (a), b_ = (b), c_ = (c), r_ = a_;                                                       \
    for (int l_ = 0; l_ < (lanes); ++l_) {                                                         \
      r_[l_] = function(a_[l_], b_[l_], c_[l_]);                                                   \
    }                                                                                              \
    r_;                                                                                            \
  })

#if CONVOY_HAS_BUILTIN(__builtin_elementwise_fma)
#define CONVOY_FMA_PLAIN(V, lanes, a, b, c) __builtin_elementwise_fma(a, b, c)
#else
#define CONVOY_FMA_PLAIN(V, lanes, a, b, c) CONVOY_LANES_OF_3(V, lanes, fmaf, a, b, c)
#endif
#if CONVOY_HAS_BUILTIN(__builtin_elementwise_sqrt)
#define CONVOY_SQRT_PLAIN(V, lanes, a) __builtin_elementwise_sqrt(a)
#else
#define CONVOY_SQRT_PLAIN(V, lanes, a) CONVOY_LANES_OF_1(V, lanes, sqrtf, a)
#endif
/* rint rounds to even in the default rounding mode. */
#if CONVOY_HAS_BUILTIN(__builtin_elementwise_rint)
#define CONVOY_RINT_PLAIN(V, lanes, a) __builtin_elementwise_rint(a)
#else
#define CONVOY_RINT_PLAIN(V, lanes, a) CONVOY_LANES_OF_1(V, lanes, rintf, a)
#endif
#if CONVOY_HAS_BUILTIN(__builtin_elementwise_floor)
#define CONVOY_FLOOR_PLAIN(V, lanes, a) __builtin_elementwise_floor(a)
#else
#define CONVOY_FLOOR_PLAIN(V, lanes, a) CONVOY_LANES_OF_1(V, lanes, floorf, a)
#endif
#if CONVOY_HAS_BUILTIN(__builtin_elementwise_ceil)
#define CONVOY_CEIL_PLAIN(V, lanes, a) __builtin_elementwise_ceil(a)
#else
#define CONVOY_CEIL_PLAIN(V, lanes, a) CONVOY_LANES_OF_1(V, lanes, ceilf, a)
#endif
#if CONVOY_HAS_BUILTIN(__builtin_elementwise_trunc)
#define CONVOY_TRUNC_PLAIN(V, lanes, a) __builtin_elementwise_trunc(a)
#else
#define CONVOY_TRUNC_PLAIN(V, lanes, a) CONVOY_LANES_OF_1(V, lanes, truncf, a)
#endif

/* The constants of roundings are: 0 to even, 1 down, 2 up, 3 to zero; 8 raises no exception. */
#if defined(__AVX512F__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_FMA_F32_16(a, b, c) ((f32x16)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define CONVOY_SQRT_F32_16(a) ((f32x16)_mm512_sqrt_ps((__m512)(a)))
#define CONVOY_RINT_F32_16(a) ((f32x16)_mm512_roundscale_ps((__m512)(a), 8))
#define CONVOY_FLOOR_F32_16(a) ((f32x16)_mm512_roundscale_ps((__m512)(a), 9))
#define CONVOY_CEIL_F32_16(a) ((f32x16)_mm512_roundscale_ps((__m512)(a), 10))
#define CONVOY_TRUNC_F32_16(a) ((f32x16)_mm512_roundscale_ps((__m512)(a), 11))
#else
#define CONVOY_FMA_F32_16(a, b, c) CONVOY_FMA_PLAIN(f32x16, 16, a, b, c)
#define CONVOY_SQRT_F32_16(a) CONVOY_SQRT_PLAIN(f32x16, 16, a)
#define CONVOY_RINT_F32_16(a) CONVOY_RINT_PLAIN(f32x16, 16, a)
#define CONVOY_FLOOR_F32_16(a) CONVOY_FLOOR_PLAIN(f32x16, 16, a)
#define CONVOY_CEIL_F32_16(a) CONVOY_CEIL_PLAIN(f32x16, 16, a)
#define CONVOY_TRUNC_F32_16(a) CONVOY_TRUNC_PLAIN(f32x16, 16, a)
#endif

#if defined(__FMA__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_FMA_F32_8(a, b, c) ((f32x8)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#else
#define CONVOY_FMA_F32_8(a, b, c) CONVOY_FMA_PLAIN(f32x8, 8, a, b, c)
#endif
#if defined(__AVX__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_SQRT_F32_8(a) ((f32x8)_mm256_sqrt_ps((__m256)(a)))
#define CONVOY_RINT_F32_8(a) ((f32x8)_mm256_round_ps((__m256)(a), 8))
#define CONVOY_FLOOR_F32_8(a) ((f32x8)_mm256_round_ps((__m256)(a), 9))
#define CONVOY_CEIL_F32_8(a) ((f32x8)_mm256_round_ps((__m256)(a), 10))
#define CONVOY_TRUNC_F32_8(a) ((f32x8)_mm256_round_ps((__m256)(a), 11))
#else
#define CONVOY_SQRT_F32_8(a) CONVOY_SQRT_PLAIN(f32x8, 8, a)
#define CONVOY_RINT_F32_8(a) CONVOY_RINT_PLAIN(f32x8, 8, a)
#define CONVOY_FLOOR_F32_8(a) CONVOY_FLOOR_PLAIN(f32x8, 8, a)
#define CONVOY_CEIL_F32_8(a) CONVOY_CEIL_PLAIN(f32x8, 8, a)
#define CONVOY_TRUNC_F32_8(a) CONVOY_TRUNC_PLAIN(f32x8, 8, a)
#endif

#if defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_FMA_F32_4(a, b, c) CONVOY_FMA_PLAIN(f32x4, 4, a, b, c)
#elif defined(__FMA__)
#define CONVOY_FMA_F32_4(a, b, c) ((f32x4)_mm_fmadd_ps((__m128)(a), (__m128)(b), (__m128)(c)))
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define CONVOY_FMA_F32_4(a, b, c)                                                                  \
  ((f32x4)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b)))
#else
#define CONVOY_FMA_F32_4(a, b, c) CONVOY_FMA_PLAIN(f32x4, 4, a, b, c)
#endif
#if defined(__SSE4_1__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_SQRT_F32_4(a) ((f32x4)_mm_sqrt_ps((__m128)(a)))
#define CONVOY_RINT_F32_4(a) ((f32x4)_mm_round_ps((__m128)(a), 8))
#define CONVOY_FLOOR_F32_4(a) ((f32x4)_mm_round_ps((__m128)(a), 9))
#define CONVOY_CEIL_F32_4(a) ((f32x4)_mm_round_ps((__m128)(a), 10))
#define CONVOY_TRUNC_F32_4(a) ((f32x4)_mm_round_ps((__m128)(a), 11))
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(CONVOY_PLAIN_VECTORS)
#define CONVOY_SQRT_F32_4(a) ((f32x4)vsqrtq_f32((float32x4_t)(a)))
#define CONVOY_RINT_F32_4(a) ((f32x4)vrndnq_f32((float32x4_t)(a)))
#define CONVOY_FLOOR_F32_4(a) ((f32x4)vrndmq_f32((float32x4_t)(a)))
#define CONVOY_CEIL_F32_4(a) ((f32x4)vrndpq_f32((float32x4_t)(a)))
#define CONVOY_TRUNC_F32_4(a) ((f32x4)vrndq_f32((float32x4_t)(a)))
#else
#define CONVOY_SQRT_F32_4(a) CONVOY_SQRT_PLAIN(f32x4, 4, a)
#define CONVOY_RINT_F32_4(a) CONVOY_RINT_PLAIN(f32x4, 4, a)
#define CONVOY_FLOOR_F32_4(a) CONVOY_FLOOR_PLAIN(f32x4, 4, a)
#define CONVOY_CEIL_F32_4(a) CONVOY_CEIL_PLAIN(f32x4, 4, a)
#define CONVOY_TRUNC_F32_4(a) CONVOY_TRUNC_PLAIN(f32x4, 4, a)
#endif

/* U is the type of the bits. */
#define CONVOY_FABS_F32(U, F, a) ((F)((U)(a) & 0x7FFFFFFFu))
#define CONVOY_COPYSIGN_F32(U, F, a, b) ((F)(((U)(a) & 0x7FFFFFFFu) | ((U)(b) & 0x80000000u)))
#define CONVOY_FABS_F32_16(a) CONVOY_FABS_F32(u32x16, f32x16, a)
#define CONVOY_FABS_F32_8(a) CONVOY_FABS_F32(u32x8, f32x8, a)
#define CONVOY_FABS_F32_4(a) CONVOY_FABS_F32(u32x4, f32x4, a)
#define CONVOY_COPYSIGN_F32_16(a, b) CONVOY_COPYSIGN_F32(u32x16, f32x16, a, b)
#define CONVOY_COPYSIGN_F32_8(a, b) CONVOY_COPYSIGN_F32(u32x8, f32x8, a, b)
#define CONVOY_COPYSIGN_F32_4(a, b) CONVOY_COPYSIGN_F32(u32x4, f32x4, a, b)
/* END */

#endif
