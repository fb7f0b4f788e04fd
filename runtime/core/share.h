/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Steps that several threads share. Generated code calls the function below; not
 * for users.
 */

#ifndef CONVOY_CORE_SHARE_H
#define CONVOY_CORE_SHARE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A range of steps is cut into equal parts, each with a 64-bit word that is 0 at
 * first. Takes steps for the thread that part `part` belongs to: from the front of
 * that part, or when it has none left from the back of another. At least `least` of
 * them, unless fewer are left. Returns the first step in the upper 32 bits and the
 * one behind the last in the lower, or 0 when all are taken.
 *
 * Says nothing about what other threads have done: they are met at flags. */
int64_t convoy_share_take(void *words, int32_t part, int32_t parts, int32_t range, int32_t least);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CORE_SHARE_H */
