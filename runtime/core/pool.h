/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Provides threads for compiled models. A process has one pool, which all models share,
 * even models in different libraries. Generated code calls the functions below; users do
 * not.
 */

#ifndef CONVOY_CORE_POOL_H
#define CONVOY_CORE_POOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The function that each thread runs. Worker 0 is the calling thread. */
typedef void (*convoy_work)(void *context, int32_t worker);

/* Calls work(context, 0) on this thread and work(context, i) on its own thread for each i
 * below `threads`, concurrently. Returns when all calls have returned. Calls from several
 * threads run one after the other. Returns CONVOY_OK, or a different number if the system
 * cannot create the threads; in that case nothing was called. */
int32_t convoy_region_run(int32_t threads, convoy_work work, void *context);

/* A flag consists of two 32-bit integers: a count that only increases, and the number of
 * threads that sleep until it does. Returns when the count is at least `count`: spins for a
 * while, then sleeps. A thread that increases the count must call convoy_flag_wake if the
 * second number is not 0. */
void convoy_flag_wait(void *flag, int32_t count);
void convoy_flag_wake(void *flag);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CORE_POOL_H */
