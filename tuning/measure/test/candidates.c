/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Candidates with the interface of a compiled model: each computes y = 2x + 1 on 1024 floats
 * correctly, or has one fault. The measuring process must detect each fault.
 */

#include "convoy/convoy.h"

#include <stdint.h>
#include <stdlib.h>

enum { kCount = 1024 };

/* Computes the correct result `times` times. */
static int compute(const void *const *inputs, void *const *outputs, int times) {
  const float *x = inputs[0];
  float *y = outputs[0];
  for (int k = 0; k < times; ++k) {
    for (int i = 0; i < kCount; ++i) {
      y[i] = 2 * x[i] + 1;
    }
    __asm__ volatile("" : : "r"(y) : "memory");
  }
  return 0;
}

#define TABLE(candidate, version)                                                                  \
  const convoy_model *candidate##_model(void);                                                     \
  const convoy_model *candidate##_model(void) {                                                    \
    static const convoy_model model = {.abi_version = version,                                     \
                                       .struct_bytes = sizeof(convoy_model),                       \
                                       .name = #candidate,                                         \
                                       .run = candidate##_run};                                    \
    return &model;                                                                                 \
  }

#define KERNEL(candidate)                                                                          \
  static int32_t candidate##_run(const void *const *inputs, void *const *outputs,                  \
                                 void *workspace);                                                 \
  TABLE(candidate, CONVOY_ABI_VERSION)                                                             \
  static int32_t candidate##_run(const void *const *inputs, void *const *outputs, void *workspace)

KERNEL(good) {
  (void)workspace;
  return compute(inputs, outputs, 100);
}

/* A candidate that a builder of an older version wrote. */
#define older_run good_run
TABLE(older, 1)

KERNEL(slower) {
  (void)workspace;
  return compute(inputs, outputs, 120);
}

KERNEL(twin) {
  (void)workspace;
  return compute(inputs, outputs, 100);
}

KERNEL(slow) {
  (void)workspace;
  return compute(inputs, outputs, 20000);
}

KERNEL(wrong) {
  (void)workspace;
  compute(inputs, outputs, 100);
  ((float *)outputs[0])[kCount - 1] += 0.01F;
  return 0;
}

/* Correct in the first run only. */
KERNEL(later_wrong) {
  int32_t *state = workspace;
  compute(inputs, outputs, 100);
  if (*state == 12345) {
    ((float *)outputs[0])[0] = 0;
  }
  *state = 12345;
  return 0;
}

KERNEL(lazy) {
  (void)inputs;
  (void)outputs;
  (void)workspace;
  return 0;
}

KERNEL(crash) {
  (void)inputs;
  (void)outputs;
  (void)workspace;
  *(volatile int *)8 = 1;
  return 0;
}

/* Writes one element past the end. */
KERNEL(overrun) {
  (void)workspace;
  compute(inputs, outputs, 100);
  ((volatile float *)outputs[0])[kCount] = 1;
  return 0;
}

KERNEL(hang) {
  (void)inputs;
  (void)outputs;
  (void)workspace;
  for (volatile int i = 0;; ++i) {
  }
}

KERNEL(refuses) {
  (void)inputs;
  (void)outputs;
  (void)workspace;
  return 7;
}

KERNEL(ends) {
  (void)inputs;
  (void)outputs;
  (void)workspace;
  abort();
}
