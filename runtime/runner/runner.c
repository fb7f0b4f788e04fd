/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a compiled model once, on files. The compiler starts it to run a model for another
 * machine, under an emulator or on a board without a compiler.
 *
 *   runner LIBRARY                         prints the inputs and outputs
 *   runner LIBRARY NAME=FILE...            runs the model; all inputs and outputs in any order
 *   runner LIBRARY FILE... FILE...         the inputs, then the outputs, in the model's order
 *
 * A model whose outputs have sizes that depend on data needs one more file, named 'extents' or
 * last, for these sizes.
 *
 * Each file contains the bytes of one tensor. The table of the library has the names and the
 * sizes. The exit code is 0 if the outputs are written, else 1 after a message on stderr.
 */

#include "convoy/load.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_FILE = 2, TEXT_BYTES = 1024 };

/* Marks for the plug-in of bench/arm, which counts the instructions between both: no-operations
 * that compilers do not generate. */
#if defined(__aarch64__)
#define BEGIN_RUN __asm__ volatile("movz xzr, #0" ::: "memory")
#define END_RUN __asm__ volatile("movz xzr, #65535" ::: "memory")
#else
#define BEGIN_RUN (void)0
#define END_RUN (void)0
#endif

/* Prints the problem and returns false. */
static bool fail(const char *what, const char *about) {
  (void)fprintf(stderr, "runner: %s %s\n", what, about);
  return false;
}

/* The memory is not freed, because the process ends after the run. */
static bool allocate(uint64_t bytes, uint64_t alignment, void **buffer) {
  *buffer = aligned_alloc((size_t)alignment, (size_t)((bytes + alignment) / alignment * alignment));
  return *buffer != NULL || fail("cannot allocate memory for", "the model's tensors");
}

static bool read_file(const char *path, const convoy_tensor *tensor, void *buffer) {
  FILE *file = fopen(path, "rb");
  bool is_read;
  if (file == NULL) {
    return fail("cannot read", path);
  }
  is_read = fread(buffer, 1, (size_t)tensor->bytes, file) == tensor->bytes && fgetc(file) == EOF;
  (void)fclose(file);
  if (!is_read) {
    (void)fprintf(stderr, "runner: input '%s' expects %" PRIu64 " bytes in %s\n", tensor->name,
                  tensor->bytes, path);
  }
  return is_read;
}

static bool write_file(const char *path, const void *data, uint64_t bytes) {
  FILE *file = fopen(path, "wb");
  bool is_written;
  if (file == NULL) {
    return fail("cannot write", path);
  }
  is_written = fwrite(data, 1, (size_t)bytes, file) == bytes;
  is_written = fclose(file) == 0 && is_written;
  return is_written || fail("cannot write", path);
}

/* The files and buffers of a model: its inputs, its outputs, and its extents if it has any. */
struct tensors {
  const convoy_model *model;
  convoy_tensor extents;
  uint32_t count;
  const char **paths;
  void **buffers;
};

static const convoy_tensor *tensor_at(const struct tensors *tensors, uint32_t index) {
  const convoy_model *model = tensors->model;
  if (index < model->input_count) {
    return &model->inputs[index];
  }
  index -= model->input_count;
  return index < model->output_count ? &model->outputs[index] : &tensors->extents;
}

static void print_tensors(const convoy_model *model) {
  for (uint32_t i = 0; i < model->input_count + model->output_count; ++i) {
    bool is_input = i < model->input_count;
    const convoy_tensor *tensor =
        is_input ? &model->inputs[i] : &model->outputs[i - model->input_count];
    (void)printf("%s %s: type %" PRId32 ", shape [", is_input ? "input" : "output", tensor->name,
                 tensor->element_type);
    for (int32_t axis = 0; axis < tensor->rank; ++axis) {
      (void)printf("%s%" PRId64, axis > 0 ? ", " : "", tensor->shape[axis]);
    }
    (void)printf("], %" PRIu64 " bytes\n", tensor->bytes);
  }
}

/* Finds the tensor of an argument NAME=FILE whose file is not known yet. A name may contain '='. */
static bool assign_by_name(struct tensors *tensors, const char *word) {
  for (uint32_t i = 0; i < tensors->count; ++i) {
    const char *name = tensor_at(tensors, i)->name;
    size_t length = strlen(name);
    if (tensors->paths[i] == NULL && strncmp(word, name, length) == 0 && word[length] == '=') {
      tensors->paths[i] = word + length + 1;
      return true;
    }
  }
  return false;
}

/* Assigns the files to the tensors: by name if the first word starts with a name, else in order. */
static bool assign_files(struct tensors *tensors, uint32_t count, char **words) {
  if (count != tensors->count) {
    (void)fprintf(stderr, "runner: expected %" PRIu32 " files, got %" PRIu32 "\n", tensors->count,
                  count);
    return false;
  }
  if (!assign_by_name(tensors, words[0])) {
    for (uint32_t i = 0; i < count; ++i) {
      tensors->paths[i] = words[i];
    }
    return true;
  }
  for (uint32_t i = 1; i < count; ++i) {
    if (!assign_by_name(tensors, words[i])) {
      return fail("expected NAME=FILE of an input or output, got", words[i]);
    }
  }
  return true;
}

static bool prepare(struct tensors *tensors) {
  for (uint32_t i = 0; i < tensors->count; ++i) {
    const convoy_tensor *tensor = tensor_at(tensors, i);
    bool is_input = i < tensors->model->input_count;
    if (!allocate(tensor->bytes, tensors->model->workspace_alignment, &tensors->buffers[i]) ||
        (is_input && !read_file(tensors->paths[i], tensor, tensors->buffers[i]))) {
      return false;
    }
  }
  return true;
}

static bool run_model(const struct tensors *tensors) {
  const convoy_model *model = tensors->model;
  void *workspace = NULL;
  int32_t code;
  if (!allocate(model->workspace_bytes, model->workspace_alignment, &workspace)) {
    return false;
  }
  BEGIN_RUN;
  code = model->run((const void *const *)tensors->buffers, tensors->buffers + model->input_count,
                    workspace);
  END_RUN;
  return code == CONVOY_OK || fail("the model failed:", model->error_text(code));
}

static bool write_outputs(const struct tensors *tensors) {
  for (uint32_t i = tensors->model->input_count; i < tensors->count; ++i) {
    if (!write_file(tensors->paths[i], tensors->buffers[i], tensor_at(tensors, i)->bytes)) {
      return false;
    }
  }
  return true;
}

static bool run_on_files(const convoy_model *model, uint32_t count, char **words) {
  struct tensors tensors;
  tensors.model = model;
  memset(&tensors.extents, 0, sizeof(tensors.extents));
  tensors.extents.name = "extents";
  tensors.extents.bytes = (uint64_t)model->extent_count * sizeof(int64_t);
  tensors.count = model->input_count + model->output_count + (model->extent_count > 0 ? 1U : 0U);
  tensors.paths = calloc((size_t)tensors.count + 1, sizeof(char *));
  tensors.buffers = calloc((size_t)tensors.count + 1, sizeof(void *));
  if (tensors.paths == NULL || tensors.buffers == NULL) {
    return fail("cannot allocate memory for", "the list of tensors");
  }
  if (model->symbol_count > 0) {
    return fail("not supported:", "a model with symbols");
  }
  return assign_files(&tensors, count, words) && prepare(&tensors) && run_model(&tensors) &&
         write_outputs(&tensors);
}

int main(int count, char **arguments) {
  char text[TEXT_BYTES];
  convoy_loaded *library;
  if (count < FIRST_FILE) {
    (void)fail("expects", "LIBRARY, then NAME=FILE for each input and output");
    return 1;
  }
  library = convoy_load(arguments[1], text, sizeof(text));
  if (library == NULL) {
    (void)fail(text, "");
    return 1;
  }
  if (count == FIRST_FILE) {
    print_tensors(convoy_loaded_model(library));
    return 0;
  }
  return run_on_files(convoy_loaded_model(library), (uint32_t)(count - FIRST_FILE),
                      arguments + FIRST_FILE)
             ? 0
             : 1;
}
