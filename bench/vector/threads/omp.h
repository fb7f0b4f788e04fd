/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of OpenMP's interface that emitted C uses. threads.c implements it. */

#ifndef CONVOY_BENCH_OMP_H
#define CONVOY_BENCH_OMP_H

int omp_get_num_threads(void);
int omp_get_thread_num(void);

#endif
