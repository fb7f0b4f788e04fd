/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Libraries for load_test.cpp, one per value of LOADABLE: a model of interface 2 that doubles
 * three numbers, and libraries that convoy_load refuses.
 */

#include "convoy/convoy.h"

#include <stddef.h>

#define INTERFACE_2 1 /* a model; its `open` succeeds */
#define INTERFACE_1 2 /* the exports of interface 1 */
#define INTERFACE_9 3 /* a later interface */
#define SHORT_TABLE 4 /* a table with fewer members */
#define NO_MODEL 5    /* another library */

const convoy_model *convoy_library_model(void);
int interface_1_abi_version(void);
int interface_1_run(const void *inputs, void *outputs, void *workspace);
int some_function(void);

#if LOADABLE == INTERFACE_1
int interface_1_abi_version(void) { return 1; }

int interface_1_run(const void *inputs, void *outputs, void *workspace) {
  return inputs == NULL || outputs == NULL || workspace == NULL;
}
#elif LOADABLE == NO_MODEL
int some_function(void) { return 1; }
#else
static int32_t opened;

static int32_t run(const void *const *inputs, void *const *outputs, void *workspace) {
  const float *x = inputs[0];
  float *y = outputs[0];
  if (x == NULL || y == NULL) {
    return CONVOY_ERROR_NULL_POINTER;
  }
  if (opened == 0) {
    return CONVOY_ERROR_NOT_OPEN;
  }
  for (int i = 0; i < 3; ++i) {
    ((float *)workspace)[i] = 2 * x[i];
    y[i] = ((float *)workspace)[i];
  }
  return CONVOY_OK;
}

static const char *error_text(int32_t code) { return code == 1 ? "net: null" : "net: other"; }

/* Accepts each path except "missing.weights". */
static int32_t open_weights(const char *path) {
  const char *name = path;
  for (const char *c = path; *c != '\0'; ++c) {
    name = *c == '/' ? c + 1 : name;
  }
  opened = name[0] != 'm';
  return opened ? CONVOY_OK : CONVOY_ERROR_WEIGHTS_FILE;
}

static void close_weights(void) { opened = 0; }

const convoy_model *convoy_library_model(void) {
  static const int64_t shape[] = {1, 3};
  static const convoy_tensor x = {"x", 1, 2, shape, NULL, 12, NULL, NULL, 0, -1, -1, 0};
  static const convoy_tensor y = {"y", 1, 2, shape, NULL, 12, NULL, NULL, 0, -1, -1, 0};
  static const convoy_model model = {
      .abi_version = LOADABLE == INTERFACE_9 ? 9 : CONVOY_ABI_VERSION,
      .struct_bytes = LOADABLE == SHORT_TABLE ? 8 : sizeof(convoy_model),
      .name = "net",
      .hash = "00112233445566778899aabbccddeeff",
      .inputs = &x,
      .outputs = &y,
      .input_count = 1,
      .output_count = 1,
      .workspace_bytes = 12,
      .workspace_alignment = 128,
      .run = run,
      .error_text = error_text,
      .open = open_weights,
      .close = close_weights,
  };
  return &model;
}
#endif
