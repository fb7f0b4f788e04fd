/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Threads for compiled models: one pool in a process, shared by every model in it,
 * whichever library the model came in. Generated code calls the functions below;
 * not for users.
 */

#ifndef CONVOY_CORE_POOL_H
#define CONVOY_CORE_POOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a thread does; worker 0 is the caller's. */
typedef void (*convoy_work)(void *context, int32_t worker);

/* Calls work(context, 0) in this thread and work(context, i) with each i below
 * `threads` in a thread of its own, at once, and returns when all have returned.
 * Calls from several threads take turns. Returns CONVOY_OK, or another number when
 * the system gives no more threads; nothing has been called then. */
int32_t convoy_region_run(int32_t threads, convoy_work work, void *context);

/* A flag is two 32-bit integers: a count that grows, and how many threads sleep
 * until it does. Returns when the count is `count` or greater: turns round for a
 * while, then sleeps. Whoever makes the count grow and finds the other number not
 * 0 must call convoy_flag_wake. */
void convoy_flag_wait(void *flag, int32_t count);
void convoy_flag_wake(void *flag);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CORE_POOL_H */
