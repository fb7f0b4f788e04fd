/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Orders the steps of sums. Compilers delay sums until their last use, or compute loop-invariant
 * addresses before a loop, and then have to store values to the stack. An empty asm statement that
 * seems to change a value prevents both. */
#ifndef CONVOY_BYTE_KEEP_H
#define CONVOY_BYTE_KEEP_H

#include "byte_machine.h"

/* BEGIN */
#if defined(__GNUC__)
#define CONVOY_KEEP_VECTORS(a, b) __asm__ volatile("" : "+w"(a), "+w"(b))
#define CONVOY_KEEP_NUMBERS(a, b, c, d) __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d))
#else
#define CONVOY_KEEP_VECTORS(a, b) (void)0
#define CONVOY_KEEP_NUMBERS(a, b, c, d) (void)0
#endif
/* A function that layers share instead of inlining it. Its parameters are no
 * structures: gcc does not count the stack of a structure that is partly in
 * registers (-fcallgraph-info=su). */
#if defined(__GNUC__)
#define CONVOY_SHARED static __attribute__((noinline))
#else
#define CONVOY_SHARED static
#endif
#if defined(CONVOY_DSP)
/* Returns four bytes at any address. */
CONVOY_INLINE uint32_t convoy_byte_load_4(const int8_t *from) {
  uint32_t bytes;
  memcpy(&bytes, from, sizeof(bytes));
  return bytes;
}

/* Returns bytes 1 and 3 as two signed numbers of 16 bits. */
CONVOY_INLINE int32_t convoy_byte_odd(uint32_t bytes) {
#if defined(__GNUC__)
  int32_t result;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(result) : "r"(bytes));
  return result;
#else
  return __sxtb16((int8x4_t)(bytes >> 8 | bytes << 24));
#endif
}
#endif
/* END */

#endif
