/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Included before a model's C to run it on another machine: counts multiply-adds on
 * vectors and their lanes. The last line of the program's output has both numbers. */

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

/* The name inside is not replaced again. */
#define __builtin_elementwise_fma(a, b, c)                                                         \
  (++countedVectors, countedLanes += sizeof(a) / sizeof((a)[0]), __builtin_elementwise_fma(a, b, c))

#endif
