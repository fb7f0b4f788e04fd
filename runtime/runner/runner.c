/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a compiled model once, on files. The compiler starts it to run a model for another
 * machine, under an emulator or on a board without a compiler.
 *
 *   runner LIBRARY MODEL WORKSPACE_BYTES INPUT_COUNT INPUT... (OUTPUT BYTES)...
 *
 * Each file contains the bytes of one tensor. The exit code is 0 if the outputs are
 * written, else 1 after a message on stderr.
 */

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_INPUT = 5 };

typedef int32_t (*run_function)(const void *const *inputs, void *const *outputs, void *workspace);
typedef const char *(*text_function)(int32_t code);

/* Prints the problem and returns false. */
static bool fail(const char *what, const char *about) {
  (void)fprintf(stderr, "runner: %s %s\n", what, about);
  return false;
}

/* The memory is not freed, because the process ends after the run. */
static bool allocate(size_t bytes, void **buffer) {
  *buffer = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
  return *buffer != NULL || fail("cannot allocate memory for", "the model's tensors");
}

static bool parse_size(const char *text, size_t *value) {
  char *end = NULL;
  *value = (size_t)strtoull(text, &end, 10);
  return (end != text && *end == '\0') || fail("expected a number, got", text);
}

static bool read_file(const char *path, void **buffer) {
  FILE *file = fopen(path, "rb");
  long bytes = 0;
  bool is_read;
  if (file == NULL) {
    return fail("cannot read", path);
  }
  is_read = fseek(file, 0, SEEK_END) == 0 && (bytes = ftell(file)) >= 0 &&
            fseek(file, 0, SEEK_SET) == 0 && allocate((size_t)bytes, buffer) &&
            fread(*buffer, 1, (size_t)bytes, file) == (size_t)bytes;
  (void)fclose(file);
  return is_read || fail("cannot read", path);
}

static bool write_file(const char *path, const void *data, size_t bytes) {
  FILE *file = fopen(path, "wb");
  bool is_written;
  if (file == NULL) {
    return fail("cannot write", path);
  }
  is_written = fwrite(data, 1, bytes, file) == bytes;
  is_written = fclose(file) == 0 && is_written;
  return is_written || fail("cannot write", path);
}

/* Looks up the model's function <model><suffix> and stores it through `function`. C has no
 * cast between pointers to data and pointers to functions. */
static bool find_function(void *library, const char *model, const char *suffix, void *function) {
  char name[1024];
  void *found;
  if (snprintf(name, sizeof(name), "%s%s", model, suffix) >= (int)sizeof(name)) {
    return fail("the name of the model is too long:", model);
  }
  found = dlsym(library, name);
  if (found == NULL) {
    return fail("the library has no function", name);
  }
  memcpy(function, &found, sizeof(found));
  return true;
}

/* The tensors of a model. Paths of outputs alternate with their sizes. */
struct tensors {
  size_t input_count, output_count;
  char **input_paths, **output_words;
  void **inputs, **outputs;
};

static bool parse_tensors(int count, char **arguments, struct tensors *tensors) {
  size_t rest = (size_t)count - FIRST_INPUT;
  if (!parse_size(arguments[FIRST_INPUT - 1], &tensors->input_count)) {
    return false;
  }
  if (tensors->input_count > rest || (rest - tensors->input_count) % 2 != 0) {
    return fail("expected INPUT_COUNT input files and pairs of OUTPUT and BYTES after",
                arguments[3]);
  }
  tensors->output_count = (rest - tensors->input_count) / 2;
  tensors->input_paths = arguments + FIRST_INPUT;
  tensors->output_words = tensors->input_paths + tensors->input_count;
  tensors->inputs = calloc(tensors->input_count + 1, sizeof(void *));
  tensors->outputs = calloc(tensors->output_count + 1, sizeof(void *));
  return (tensors->inputs != NULL && tensors->outputs != NULL) ||
         fail("cannot allocate memory for", "the list of tensors");
}

static bool read_tensors(const struct tensors *tensors) {
  for (size_t i = 0; i < tensors->input_count; ++i) {
    if (!read_file(tensors->input_paths[i], &tensors->inputs[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < tensors->output_count; ++i) {
    size_t bytes;
    if (!parse_size(tensors->output_words[2 * i + 1], &bytes) ||
        !allocate(bytes, &tensors->outputs[i])) {
      return false;
    }
  }
  return true;
}

static bool write_tensors(const struct tensors *tensors) {
  for (size_t i = 0; i < tensors->output_count; ++i) {
    size_t bytes;
    if (!parse_size(tensors->output_words[2 * i + 1], &bytes) ||
        !write_file(tensors->output_words[2 * i], tensors->outputs[i], bytes)) {
      return false;
    }
  }
  return true;
}

static bool run_model(char **arguments, const struct tensors *tensors) {
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  void *workspace = NULL;
  size_t bytes = 0;
  run_function run;
  text_function error_text;
  int32_t code;
  if (library == NULL) {
    return fail("cannot load the library:", dlerror());
  }
  if (!find_function(library, arguments[2], "_run", &run) ||
      !find_function(library, arguments[2], "_error_text", &error_text) ||
      !parse_size(arguments[3], &bytes) || !allocate(bytes, &workspace)) {
    return false;
  }
  code = run((const void *const *)tensors->inputs, tensors->outputs, workspace);
  return code == 0 || fail("the model failed:", error_text(code));
}

int main(int count, char **arguments) {
  struct tensors tensors;
  if (count < FIRST_INPUT) {
    fail("expects", "LIBRARY MODEL WORKSPACE_BYTES INPUT_COUNT INPUT... (OUTPUT BYTES)...");
    return 1;
  }
  return parse_tensors(count, arguments, &tensors) && read_tensors(&tensors) &&
                 run_model(arguments, &tensors) && write_tensors(&tensors)
             ? 0
             : 1;
}
