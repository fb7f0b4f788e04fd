/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A library of interface 2 without the compiler: it has inputs of many element types, two outputs
 * and a run that can fail or take long, so that the tests of convoy_runtime need no model.
 *
 *   y[i] = 2 * x[i]     z = n + the sum of the bytes of the other inputs
 *
 * n = -7 makes the run fail with code 10, and n = -8 makes it wait for 3 s. With
 * TABLE_MODEL_EXTENTS, y has n columns.
 */

#include "convoy/convoy.h"

#include <stdint.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { X, N, BITS, HALF, FLAG, NARROW, EMPTY };

static const int64_t kMatrix[] = {2, 3}, kThree[] = {3}, kFour[] = {4}, kEmpty[] = {0, 5};
static const float kScales[] = {0.5F};
static const int32_t kZeroPoints[] = {3};

static const convoy_tensor kInputs[] = {
    {"x", 1, 2, kMatrix, 0, 24, 0, 0, 0, -1, -1, 0},
    {"n", 7, 0, kMatrix, 0, 8, 0, 0, 0, -1, -1, 0},
    {"bits", 16, 1, kThree, 0, 6, 0, 0, 0, -1, -1, 0},
    {"half", 10, 1, kThree, 0, 6, 0, 0, 0, -1, -1, 0},
    {"flag", 9, 1, kThree, 0, 3, 0, 0, 0, -1, -1, 0},
    {"narrow", 22, 1, kFour, 0, 4, kScales, kZeroPoints, 1, -1, -1, 0},
    {"empty", 1, 2, kEmpty, 0, 0, 0, 0, 0, -1, -1, 0},
};
#ifdef TABLE_MODEL_EXTENTS
enum { EXTENTS = 1 };
static const int32_t kDims[] = {-1, 0};
#else
enum { EXTENTS = 0 };
#define kDims 0
#endif
static const convoy_tensor kOutputs[] = {
    {"y", 1, 2, kMatrix, kDims, 24, 0, 0, 0, -1, -1, 0},
    {"z", 7, 0, kMatrix, 0, 8, 0, 0, 0, -1, -1, 0},
};

static int32_t run(const void *const *inputs, void *const *outputs, void *workspace) {
  const float *x = inputs[X];
  float *y = outputs[0];
  int64_t z = *(const int64_t *)inputs[N];
  if (workspace == 0 || (uintptr_t)workspace % 64 != 0) {
    return CONVOY_ERROR_WORKSPACE;
  }
  if (z == -7) {
    return CONVOY_ERROR_DEVICE;
  }
  if (z == -8) {
    struct timespec time = {3, 0};
    nanosleep(&time, 0);
  }
  if (EXTENTS) {
    *(int64_t *)outputs[2] = z;
  }
  for (int i = 0; i < 6; ++i) {
    y[i] = 2 * x[i];
  }
  for (int input = BITS; input <= EMPTY; ++input) {
    for (uint64_t i = 0; i < kInputs[input].bytes; ++i) {
      z += ((const uint8_t *)inputs[input])[i];
    }
  }
  *(int64_t *)outputs[1] = z;
  return CONVOY_OK;
}

static const char *errorText(int32_t code) {
  return code == CONVOY_ERROR_DEVICE ? "the device failed" : "another error";
}

static const convoy_model kModel = {
    .abi_version = CONVOY_ABI_VERSION,
    .struct_bytes = sizeof(convoy_model),
    .name = "table_model",
    .target = "test",
    .features = "",
    .hash = "0123",
    .weights_hash = "",
    .records = "",
    .compiler = "test",
    .inputs = kInputs,
    .outputs = kOutputs,
    .input_count = COUNT(kInputs),
    .output_count = COUNT(kOutputs),
    .extent_count = EXTENTS,
    .workspace_bytes = 64,
    .workspace_alignment = 64,
    .threads = 1,
    .run = run,
    .error_text = errorText,
};

const convoy_model *convoy_library_model(void);
const convoy_model *convoy_library_model(void) { return &kModel; }
