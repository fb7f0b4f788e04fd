/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads compiled libraries with dlopen and checks their interface. The runner, the measuring
 * process, `convoy inspect`, convoy::Library and the Python modules use it. Models do not
 * contain it.
 */

#define _POSIX_C_SOURCE 200809L

#include "convoy/load.h"

#include "digest.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct convoy_loaded {
  void *library;
  const convoy_model *model;
  struct convoy_loaded *next; /* in `all` */
};

typedef const convoy_model *(*model_function)(void);
typedef int (*version_function)(void);

/* The place for the sentence of a failure. */
struct sentence {
  char *text;
  size_t bytes;
};

/* All loaded libraries. The mutex also serializes open and close of weights files. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static convoy_loaded *all;

/* Writes a sentence of three parts and returns 0. */
static int fail(struct sentence *out, const char *first, const char *second, const char *third) {
  if (out->bytes > 0) {
    (void)snprintf(out->text, out->bytes, "%s%s%s", first, second, third);
  }
  return 0;
}

/* Returns `before` + `path` without its last `dropped` bytes + `after`; null without memory. */
static char *join(const char *before, const char *path, size_t dropped, const char *after) {
  size_t kept = strlen(path) - dropped;
  size_t bytes = strlen(before) + kept + strlen(after) + 1;
  char *result = malloc(bytes);
  if (result != NULL) {
    (void)snprintf(result, bytes, "%s%.*s%s", before, (int)kept, path, after);
  }
  return result;
}

/* Returns the length of the ending ".so", or 0. */
static size_t ending_bytes(const char *path) {
  size_t length = strlen(path);
  return length > 3 && strcmp(path + length - 3, ".so") == 0 ? 3 : 0;
}

/* Stores a function of the library through `function`. C has no cast between pointers to data and
 * pointers to functions. */
static int find_function(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, (const void *)&found, sizeof(found));
  return found != NULL;
}

static int wrong_version(const char *path, long version, struct sentence *out) {
  if (out->bytes > 0) {
    (void)snprintf(out->text, out->bytes,
                   "%s has interface %ld; this version loads interface %d; %s", path, version,
                   CONVOY_ABI_VERSION,
                   version < CONVOY_ABI_VERSION ? "compile the model again"
                                                : "use a newer version of Convoy's runtime");
  }
  return 0;
}

/* Describes a library without a table. Interface 1 has <model>_abi_version; the name of the file
 * is usually that of the model. */
static int no_table(void *library, const char *path, struct sentence *out) {
  const char *slash = strrchr(path, '/');
  const char *base = slash != NULL ? slash + 1 : path;
  char *name = join("", base, ending_bytes(base), "_abi_version");
  version_function version = NULL;
  int is_old = name != NULL && find_function(library, name, (void *)&version);
  free(name);
  return is_old ? wrong_version(path, version(), out)
                : fail(out, path, " is not a model of interface 2: it has no function ",
                       "convoy_library_model; compile the model again");
}

/* Finds the table and checks its version. */
static int find_model(const char *path, convoy_loaded *loaded, struct sentence *out) {
  model_function model = NULL;
  if (!find_function(loaded->library, "convoy_library_model", (void *)&model)) {
    return no_table(loaded->library, path, out);
  }
  loaded->model = model();
  if (loaded->model->abi_version != CONVOY_ABI_VERSION) {
    return wrong_version(path, (long)loaded->model->abi_version, out);
  }
  if (loaded->model->struct_bytes < sizeof(convoy_model)) {
    return fail(out, path, " has a table that is shorter than this version expects; ",
                "compile the model again");
  }
  return 1;
}

/* glibc reports a library for another machine as a file that does not exist. */
static const char maybe_foreign[] =
    "; the file exists: it is for another machine, is damaged or needs a missing library";

static int exists(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file != NULL) {
    (void)fclose(file);
  }
  return file != NULL;
}

/* Compares the hash of the program's header with the library's. */
static int check_hash(const char *path, const convoy_model *model, const char *hash,
                      struct sentence *out) {
  if (hash == NULL || strcmp(model->hash, hash) == 0) {
    return 1;
  }
  if (out->bytes > 0) {
    (void)snprintf(out->text, out->bytes,
                   "%s has hash %s, and the program was compiled for hash %s; use the library that "
                   "was written with the program's header, or compile the program with the header "
                   "of this library",
                   path, model->hash, hash);
  }
  return 0;
}

static int verify(const char *path, struct sentence *out) {
  return convoy_verify_file(path, NULL, NULL, out->text, out->bytes);
}

/* Opens the weights file beside the library, if the model has one; verifies it before if asked. */
static int open_weights(const char *path, const convoy_model *model, int verifies,
                        struct sentence *out) {
  char *weights;
  int is_open;
  if (model->open == NULL) {
    return 1;
  }
  weights = join("", path, ending_bytes(path), ".weights");
  if (weights == NULL) {
    return fail(out, "cannot load ", path, ": there is not enough memory");
  }
  is_open = !verifies || verify(weights, out);
  if (is_open) {
    int32_t code = model->open(weights);
    is_open = code == CONVOY_OK || fail(out, path, ": ", model->error_text(code));
  }
  free(weights);
  return is_open;
}

/* What convoy_load_checked checks. */
struct checks {
  const char *hash;
  int verifies;
};

/* Checks a library whose functions can be called. */
static int accept(const char *path, convoy_loaded *loaded, const struct checks *checks,
                  struct sentence *out) {
  return find_model(path, loaded, out) && check_hash(path, loaded->model, checks->hash, out) &&
         open_weights(path, loaded->model, checks->verifies, out);
}

static int load(const char *path, convoy_loaded *loaded, const struct checks *checks,
                struct sentence *out) {
  /* dlopen searches the system's folders for a name without a slash. */
  char *file = join(strchr(path, '/') == NULL ? "./" : "", path, 0, "");
  if (file == NULL) {
    return fail(out, "cannot load ", path, ": there is not enough memory");
  }
  /* Before dlopen, which runs code of the library. A library that is missing is dlopen's error. */
  if (checks->verifies && exists(file) && !verify(path, out)) {
    free(file);
    return 0;
  }
  loaded->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (loaded->library == NULL) {
    const char *reason = dlerror();
    (void)fail(out, "cannot load the library: ", reason, exists(file) ? maybe_foreign : "");
  }
  free(file);
  if (loaded->library == NULL) {
    return 0;
  }
  if (accept(path, loaded, checks, out)) {
    loaded->next = all;
    all = loaded;
    return 1;
  }
  (void)dlclose(loaded->library);
  return 0;
}

convoy_loaded *convoy_load(const char *path, char *text, size_t text_bytes) {
  return convoy_load_checked(path, NULL, 0, text, text_bytes);
}

convoy_loaded *convoy_load_checked(const char *path, const char *hash, uint32_t flags, char *text,
                                   size_t text_bytes) {
  struct sentence out;
  struct checks checks;
  convoy_loaded *loaded;
  int is_loaded;
  checks.hash = hash;
  checks.verifies = (flags & CONVOY_LOAD_VERIFY) != 0;
  out.text = text;
  out.bytes = text != NULL ? text_bytes : 0;
  if (path == NULL) {
    (void)fail(&out, "cannot load the library: ", "its path is null", "");
    return NULL;
  }
  loaded = calloc(1, sizeof(*loaded));
  if (loaded == NULL) {
    (void)fail(&out, "cannot load ", path, ": there is not enough memory");
    return NULL;
  }
  (void)pthread_mutex_lock(&mutex);
  is_loaded = load(path, loaded, &checks, &out);
  (void)pthread_mutex_unlock(&mutex);
  if (!is_loaded) {
    free(loaded);
    return NULL;
  }
  return loaded;
}

const convoy_model *convoy_loaded_model(const convoy_loaded *loaded) { return loaded->model; }

/* Removes the library from the list. Returns whether the list contains it a second time. */
static int remove_loaded(const convoy_loaded *loaded) {
  convoy_loaded **place = &all;
  int is_shared = 0;
  while (*place != NULL) {
    if (*place == loaded) {
      *place = loaded->next;
    } else {
      is_shared |= (*place)->library == loaded->library;
      place = &(*place)->next;
    }
  }
  return is_shared;
}

void convoy_unload(convoy_loaded *loaded) {
  if (loaded == NULL) {
    return;
  }
  (void)pthread_mutex_lock(&mutex);
  if (!remove_loaded(loaded) && loaded->model->close != NULL) {
    loaded->model->close();
  }
  (void)dlclose(loaded->library);
  (void)pthread_mutex_unlock(&mutex);
  free(loaded);
}
