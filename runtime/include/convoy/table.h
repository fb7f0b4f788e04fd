/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table that describes a compiled model at run time: interface 2. C source that Convoy
 * emits contains a copy of this file, so it is C99 and includes no header of Convoy.
 */

#ifndef CONVOY_TABLE_H
#define CONVOY_TABLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One input or output. */
typedef struct convoy_tensor {
  const char *name;     /* as in the ONNX file, UTF-8 */
  int32_t element_type; /* ONNX TensorProto.DataType */
  int32_t rank;
  const int64_t *shape; /* rank entries; the maximum of a dimension with a symbol or an extent */
  const int32_t *dims;  /* null, or rank entries. -1: fixed. Else for an input: an index into
                           symbols; for an output: an index into the extents that a run writes */
  uint64_t bytes;       /* of the buffer at the maximum shape; narrow elements take one byte each */
  const float *scales;  /* quantized: 1 or shape[scale_axis] entries; null: not quantized */
  const int32_t *zero_points; /* as many entries as scales; null if scales is null */
  int32_t scale_count;
  int32_t scale_axis; /* -1: one scale for the tensor */
  int32_t alias;      /* the output (of an input) or the input (of an output) that may be the same
                         buffer; -1: none */
  uint32_t reserved;  /* 0 */
} convoy_tensor;

/* A dimension of inputs whose size the caller gives. This version of the compiler makes none. */
typedef struct convoy_symbol {
  const char *name;
  int64_t minimum, maximum;
} convoy_symbol;

struct convoy_device;

/* A model. The table and everything that it points to live as long as the model's code and
 * never change. No string is null; an unknown string is empty. */
typedef struct convoy_model {
  uint32_t abi_version;  /* CONVOY_ABI_VERSION of convoy.h; first in every interface */
  uint32_t struct_bytes; /* sizeof(convoy_model); a newer compiler may append members */
  const char *name;      /* the prefix of the C functions */
  const char *target;    /* as given to --target */
  const char *features;  /* CPU features that the code uses, separated by commas */
  const char *hash;      /* of code and weights */
  const char *weights_hash;
  const char *records;  /* hash of the tuning records; empty: none */
  const char *compiler; /* version of Convoy */
  const convoy_tensor *inputs, *outputs;
  const convoy_symbol *symbols;
  uint32_t input_count, output_count, symbol_count, extent_count;
  uint64_t workspace_bytes, workspace_alignment, weights_bytes;
  uint32_t threads;  /* of a run, the caller's included */
  uint32_t programs; /* that init loads onto a device */
  /* Runs the model. Any thread may call it with its own workspace, except that runs of a model
   * with programs must not overlap. `inputs` has input_count
   * pointers and, if symbol_count > 0, a `const int64_t *` to the values of the symbols.
   * `outputs` has output_count pointers and, if extent_count > 0, an `int64_t *` to which the
   * run writes the extents. Returns 0 or a code of convoy.h. */
  int32_t (*run)(const void *const *inputs, void *const *outputs, void *workspace);
  const char *(*error_text)(int32_t code); /* never returns null */
  int32_t (*open)(const char *path);       /* maps the weights file; null: no such file */
  void (*close)(void);                     /* unmaps the weights file; null: no such file */
  int32_t (*init)(const struct convoy_device *device); /* null: no programs */
} convoy_model;

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_TABLE_H */
