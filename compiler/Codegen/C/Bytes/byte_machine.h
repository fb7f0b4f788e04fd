/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Selects the bodies of byte functions. The files of this folder are C; the compiler contains their
 * text and prints a file into emitted C if a kernel uses it. CONVOY_PLAIN_BYTES selects the plain
 * bodies on every machine. */
#ifndef CONVOY_BYTE_MACHINE_H
#define CONVOY_BYTE_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* BEGIN */
#if defined(CONVOY_PLAIN_BYTES)
#elif defined(__ARM_FEATURE_MVE) && defined(__GNUC__) /* The bodies have asm statements. */
#define CONVOY_MVE 1
/* gcc 12 removes stores before a predicated store as if it stored all lanes. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-dse")
#endif
#include <arm_mve.h>
#elif defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_SIMD32)
#define CONVOY_DSP 1
#include <arm_acle.h>
#endif
/* Precedes loops that compilers should not unroll, because the copies need too many registers. */
#if defined(__clang__)
#define CONVOY_ROLLED _Pragma("clang loop unroll(disable)")
#define CONVOY_UNROLLED _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define CONVOY_ROLLED _Pragma("GCC unroll 1")
#define CONVOY_UNROLLED _Pragma("GCC unroll 8")
#else
#define CONVOY_ROLLED
#define CONVOY_UNROLLED
#endif
#if defined(__GNUC__)
#define CONVOY_INLINE static inline __attribute__((always_inline))
#else
#define CONVOY_INLINE static inline
#endif
/* END */

#endif
