// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the parallel region that clang calls with POSIX threads, because Debian has no
// OpenMP runtime of clang for RISC-V. It supports only the needs of emitted C: one region at a
// time, with all requested threads.

#include "omp.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

enum { kMostThreads = 64, kMostArguments = 8 };

typedef void (*Region)(int32_t *, int32_t *, void *, void *, void *, void *, void *, void *, void *,
                       void *);

static int wanted = 1;
static int granted = 1;
static _Thread_local int32_t number = 0;
static Region region;
static void *arguments[kMostArguments];

int omp_get_num_threads(void) { return granted; }
int omp_get_thread_num(void) { return number; }

static void runRegion(void) {
  int32_t own = number;
  void **a = arguments;
  // The region ignores superfluous arguments.
  region(&own, &own, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

static void *startThread(void *data) {
  number = (int32_t)(intptr_t)data;
  runRegion();
  return NULL;
}

int32_t __kmpc_global_thread_num(void *place);
int32_t __kmpc_global_thread_num(void *place) {
  (void)place;
  return number;
}

void __kmpc_push_num_threads(void *place, int32_t caller, int32_t count);
void __kmpc_push_num_threads(void *place, int32_t caller, int32_t count) {
  (void)place;
  (void)caller;
  wanted = count;
}

void __kmpc_fork_call(void *place, int32_t count, void *code, ...);
void __kmpc_fork_call(void *place, int32_t count, void *code, ...) {
  (void)place;
  if (count > kMostArguments || wanted > kMostThreads) {
    abort();
  }
  va_list list;
  va_start(list, code);
  for (int32_t i = 0; i < count; ++i) {
    arguments[i] = va_arg(list, void *);
  }
  va_end(list);
  *(void **)(void *)&region = code;
  granted = wanted;
  pthread_t team[kMostThreads];
  for (int i = 1; i < granted; ++i) {
    if (pthread_create(&team[i], NULL, startThread, (void *)(intptr_t)i) != 0) {
      abort();
    }
  }
  runRegion();
  for (int i = 1; i < granted; ++i) {
    pthread_join(team[i], NULL);
  }
  granted = 1;
}
