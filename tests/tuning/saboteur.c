/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A preload library that injects faults into the measuring process: every second candidate
 * of a round crashes, hangs or returns a wrong result, at once or after a few runs. The
 * library writes the kind of fault and the path of the candidate to $SABOTEUR_LOG.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "convoy/convoy.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int32_t (*run_function)(const void *const *inputs, void *const *outputs, void *workspace);

static run_function real_run;
static convoy_model changed; /* the table of the last candidate with a fault */
static int runs;

static int32_t crash(const void *const *inputs, void *const *outputs, void *workspace) {
  (void)inputs;
  (void)outputs;
  (void)workspace;
  (void)raise(SIGSEGV);
  return 0;
}

static int32_t hang(const void *const *inputs, void *const *outputs, void *workspace) {
  (void)inputs;
  (void)outputs;
  (void)workspace;
  for (;;) {
    (void)pause();
  }
}

/* Makes the first element wrong. It is an edge element, which the tuner always compares. */
static int32_t wrong(const void *const *inputs, void *const *outputs, void *workspace) {
  int32_t code = real_run(inputs, outputs, workspace);
  ((float *)outputs[0])[0] += 1.0F;
  return code;
}

/* Returns a correct result when the tuner checks it, and a wrong result when it times runs. */
static int32_t wrong_later(const void *const *inputs, void *const *outputs, void *workspace) {
  return ++runs < 4 ? real_run(inputs, outputs, workspace) : wrong(inputs, outputs, workspace);
}

static void note(const char *what, void *symbol) {
  const char *path = getenv("SABOTEUR_LOG");
  Dl_info info;
  char line[4096];
  int file;
  if (!path || !dladdr(symbol, &info)) {
    return;
  }
  file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file >= 0) {
    int length = snprintf(line, sizeof(line), "%s %s\n", what, info.dli_fname);
    (void)!write(file, line, (size_t)length);
    (void)close(file);
  }
}

/* Returns the place of the candidate in its round: 5 for
 * "trial_0123456789abcdef0000000300000005_model". */
static int number_in(const char *name) {
  size_t length = strlen(name);
  return strncmp(name, "trial_", 6) == 0 && length > 14 ? atoi(name + length - 14) : 0;
}

static const convoy_model *changed_model(void) { return &changed; }

/* Returns a function whose table has another `run`. */
static void *replace_run(const char *what, void *symbol, run_function run) {
  const convoy_model *(*real_model)(void);
  *(void **)&real_model = symbol;
  changed = *real_model();
  real_run = changed.run;
  changed.run = run;
  note(what, symbol);
  return (void *)changed_model;
}

void *dlsym(void *restrict handle, const char *restrict name) {
  static void *(*real)(void *, const char *);
  void *symbol;
  size_t length = strlen(name);
  if (!real) {
    *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!real) {
      *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    }
  }
  symbol = real(handle, name);
  if (!symbol || length < 6 || strcmp(name + length - 6, "_model") != 0) {
    return symbol;
  }
  switch (number_in(name)) {
  case 1:
    return replace_run("crash", symbol, crash);
  case 3:
    return replace_run("wrong", symbol, wrong);
  case 5:
    return replace_run("hang", symbol, hang);
  case 7:
    return replace_run("wrong_later", symbol, wrong_later);
  default:
    return symbol;
  }
}
