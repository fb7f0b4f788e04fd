/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Distributes steps among several threads. Generated code calls the function below; users
 * do not.
 */

#ifndef CONVOY_CORE_SHARE_H
#define CONVOY_CORE_SHARE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes steps for the thread that owns part `part`. The range of steps is divided into
 * `parts` equal parts, each with a 64-bit word that is initially 0. Takes steps from the
 * front of the thread's own part, or, if that part is empty, from the back of another part.
 * Takes at least `least` steps, unless fewer remain. Returns the first step in the upper 32
 * bits and the end of the steps in the lower 32 bits, or 0 if all steps are taken.
 *
 * The function does not order memory accesses of the threads; flags do. */
int64_t convoy_share_take(void *words, int32_t part, int32_t parts, int32_t range, int32_t least);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CORE_SHARE_H */
