/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts the vector multiply-adds of a model's C and their lanes. check_vector_engine.py
 * includes this file before the model's C and runs it on the host. The last line of the
 * program's output has both numbers. */

#if !defined(CONVOY_TEST_COUNT_LANES_H) && !defined(__ASSEMBLER__) /* weights are assembly */
#define CONVOY_TEST_COUNT_LANES_H

#include <stdio.h>

static unsigned long long countedVectors;
static unsigned long long countedLanes;

static __attribute__((destructor)) void printCounts(void) {
  if (countedVectors > 0) {
    printf("multiply-adds %llu lanes %llu\n", countedVectors, countedLanes);
  }
}

/* The preprocessor does not expand the name again inside its own macro. */
#define __builtin_elementwise_fma(a, b, c)                                                         \
  (++countedVectors, countedLanes += sizeof(a) / sizeof((a)[0]), __builtin_elementwise_fma(a, b, c))

#endif
