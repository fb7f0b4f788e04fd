/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures libraries of one model in turn on one core, for bench/source/measure. Each library
 * defines convoy_library_model: a library that Convoy compiles, or emitted C with
 * -DCONVOY_SHARED_LIBRARY.
 *
 *   in_turn CORE SAMPLES MILLISECONDS LIBRARY...
 *
 * All libraries get the same inputs. A sample is a warm-up run and then as many runs as take
 * MILLISECONDS. Prints one line per library: the relative L2 distance of its outputs from the
 * outputs of the first library, and the milliseconds per run of each sample. */

#define _GNU_SOURCE
#include "convoy/table.h"

#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  MOST_TENSORS = 256,
  FLOAT = 1,
  FLOAT16 = 10,
  DOUBLE = 11,
  BFLOAT16 = 16,
  BOOL = 9,
  STRING = 8
};

typedef struct {
  const convoy_model *model;
  void *outputs[MOST_TENSORS];
  void *workspace;
  long runs; /* of one sample */
  double *milliseconds;
} program;

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "in_turn: %s: %s\n", what, detail);
  exit(1);
}

static void *allocate(uint64_t bytes) {
  void *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (memory == NULL) {
    fail("not enough memory", "");
  }
  return memset(memory, 0, bytes);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

/* Bytes of one element; 0 if this program has no data for the type. */
static uint64_t width_of(int32_t type) {
  static const uint8_t widths[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8, 4, 8, 0, 0, 2};
  return type >= 0 && type < (int32_t)sizeof widths ? widths[type] : 0;
}

/* The next number of a sequence that is equal for all libraries. */
static uint32_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* Writes a float in [-1, 1), or an integer from 0 to 9, which is a valid index in every network. */
static void set_element(uint8_t *at, int32_t type, uint32_t random) {
  const double value = (double)random / 1073741824.0 - 1.0;
  const float narrow = (float)value;
  const uint64_t integer = type == BOOL ? random & 1u : random % 10u;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  const uint16_t upper = (uint16_t)(bits >> 16);
  /* Random mantissas and signs with an exponent of 1/4 to 1/2. */
  const uint16_t half = (uint16_t)((random & 0x83FFu) | 0x3400u);
  const void *from = type == FLOAT      ? (const void *)&narrow
                     : type == DOUBLE   ? (const void *)&value
                     : type == BFLOAT16 ? (const void *)&upper
                     : type == FLOAT16  ? (const void *)&half
                                        : (const void *)&integer;
  memcpy(at, from, width_of(type));
}

static void fill(void *buffer, const convoy_tensor *tensor, uint64_t *state) {
  const uint64_t width = width_of(tensor->element_type);
  if (width == 0) {
    fail("this program has no data for the type of the input", tensor->name);
  }
  for (uint64_t at = 0; at + width <= tensor->bytes; at += width) {
    set_element((uint8_t *)buffer + at, tensor->element_type, next(state));
  }
}

static program load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fail("dlopen", dlerror());
  }
  const convoy_model *(*table)(void) = NULL;
  void *symbol = dlsym(library, "convoy_library_model");
  memcpy(&table, &symbol, sizeof table);
  if (table == NULL) {
    fail(path, "no function convoy_library_model");
  }
  program loaded = {.model = table()};
  const convoy_model *model = loaded.model;
  if (model->symbol_count > 0 || model->extent_count > 0 || model->open != NULL ||
      model->input_count > MOST_TENSORS || model->output_count > MOST_TENSORS) {
    fail(path, "not supported: symbols, extents, a weights file or more than 256 tensors");
  }
  for (uint32_t i = 0; i < model->output_count; ++i) {
    loaded.outputs[i] = allocate(model->outputs[i].bytes);
  }
  loaded.workspace = allocate(model->workspace_bytes);
  return loaded;
}

static void run(program *which, void *const *inputs) {
  const int32_t code =
      which->model->run((const void *const *)inputs, which->outputs, which->workspace);
  if (code != 0) {
    fail("run", which->model->error_text(code));
  }
}

static double element(const void *buffer, int32_t type, uint64_t i) {
  const uint8_t *at = (const uint8_t *)buffer + i * width_of(type);
  if (type == FLOAT) {
    float value;
    memcpy(&value, at, sizeof value);
    return (double)value;
  }
  if (type == DOUBLE) {
    double value;
    memcpy(&value, at, sizeof value);
    return value;
  }
  uint64_t bits = 0;
  memcpy(&bits, at, width_of(type));
  return (double)bits;
}

/* The relative L2 distance of all outputs. Integers and narrow floats compare by their bits. */
static double distance(const program *a, const program *b) {
  double difference = 0, size = 0;
  for (uint32_t i = 0; i < a->model->output_count; ++i) {
    const convoy_tensor *tensor = &a->model->outputs[i];
    const uint64_t width = width_of(tensor->element_type);
    for (uint64_t e = 0; width != 0 && (e + 1) * width <= tensor->bytes; ++e) {
      const double x = element(a->outputs[i], tensor->element_type, e);
      const double y = element(b->outputs[i], tensor->element_type, e);
      const int both_special = (isnan(x) && isnan(y)) || x == y;
      difference += both_special ? 0 : (x - y) * (x - y);
      size += isfinite(x) ? x * x : 0;
    }
  }
  return difference == 0 ? 0 : sqrt(difference / (size > 0 ? size : 1));
}

/* Sets the number of runs that take `milliseconds`. */
static void calibrate(program *which, void *const *inputs, double milliseconds) {
  run(which, inputs);
  const double start = now();
  run(which, inputs);
  double taken = now() - start;
  which->runs = 1;
  while (taken < milliseconds / 4) {
    which->runs *= 2;
    const double begin = now();
    for (long i = 0; i < which->runs; ++i) {
      run(which, inputs);
    }
    taken = now() - begin;
  }
  const double wanted = (double)which->runs * milliseconds / taken;
  which->runs = wanted > 1 ? (long)wanted : 1;
}

static double sample(program *which, void *const *inputs) {
  run(which, inputs);
  const double start = now();
  for (long i = 0; i < which->runs; ++i) {
    run(which, inputs);
  }
  return (now() - start) / (double)which->runs;
}

int main(int count, char **words) {
  if (count < 5) {
    fail("usage", "in_turn CORE SAMPLES MILLISECONDS LIBRARY...");
  }
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET((size_t)atoi(words[1]), &cores);
  if (sched_setaffinity(0, sizeof cores, &cores) != 0) {
    fail("sched_setaffinity", "this core is not available");
  }
  const int samples = atoi(words[2]), libraries = count - 4;
  program *programs = calloc((size_t)libraries, sizeof *programs);
  void *inputs[MOST_TENSORS];
  uint64_t state = 1;
  for (int i = 0; i < libraries; ++i) {
    programs[i] = load(words[i + 4]);
    programs[i].milliseconds = calloc((size_t)samples, sizeof(double));
  }
  for (uint32_t i = 0; i < programs[0].model->input_count; ++i) {
    inputs[i] = allocate(programs[0].model->inputs[i].bytes);
    fill(inputs[i], &programs[0].model->inputs[i], &state);
  }
  for (int i = 0; i < libraries; ++i) {
    calibrate(&programs[i], inputs, atof(words[3]));
  }
  for (int s = 0; s < samples; ++s) {
    for (int i = 0; i < libraries; ++i) {
      programs[i].milliseconds[s] = sample(&programs[i], inputs);
    }
  }
  for (int i = 0; i < libraries; ++i) {
    printf("%.9g", distance(&programs[0], &programs[i]));
    for (int s = 0; s < samples; ++s) {
      printf(" %.9g", programs[i].milliseconds[s]);
    }
    printf("\n");
  }
  return 0;
}
