/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Includes the intrinsics that the bodies of macros on vectors use. The files of this folder are C;
 * the compiler contains their text and prints a file into emitted C if a kernel uses it.
 * CONVOY_PLAIN_VECTORS selects the plain bodies on every machine. */
#ifndef CONVOY_VECTOR_MACHINE_H
#define CONVOY_VECTOR_MACHINE_H

/* BEGIN */
#if defined(CONVOY_PLAIN_VECTORS)
#elif defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif
/* END */

#endif
