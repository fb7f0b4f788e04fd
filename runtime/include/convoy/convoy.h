/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Definitions that all compiled models share: the version of the interface, the return
 * codes, and the checks that models perform. A compiled model contains the code that it
 * needs. Link this runtime only to call the functions below directly.
 */

#ifndef CONVOY_CONVOY_H
#define CONVOY_CONVOY_H

#include "convoy/table.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Increases when a compiled model and its header are no longer compatible with older
 * callers. A caller accepts a table whose abi_version is equal and whose struct_bytes is at
 * least sizeof(convoy_model). */
#define CONVOY_ABI_VERSION 2

/* Return codes of <model>_run and of the functions below. */
#define CONVOY_OK 0
/* A pointer in inputs or outputs, or the workspace, is null. */
#define CONVOY_ERROR_NULL_POINTER 1
/* This CPU lacks instructions that the model was compiled for. */
#define CONVOY_ERROR_UNSUPPORTED_CPU 2
/* The data selects a branch of an If that cannot be compiled for the pinned shapes. */
#define CONVOY_ERROR_FAILED_BRANCH 3
/* The workspace does not have the alignment that the model's header requires. */
#define CONVOY_ERROR_WORKSPACE 4
/* The model was compiled with --weights=file, and <model>_open has not succeeded yet. */
#define CONVOY_ERROR_NOT_OPEN 5
/* The weights file cannot be mapped; errno contains the reason. */
#define CONVOY_ERROR_WEIGHTS_FILE 6
/* The weights file does not belong to this model. */
#define CONVOY_ERROR_WRONG_WEIGHTS 7
/* A part of the model runs on a device, and <model>_init has not succeeded yet. */
#define CONVOY_ERROR_NO_DEVICE 8
/* The program was compiled for a different device or is damaged. */
#define CONVOY_ERROR_PROGRAM 9
/* The device failed: it is out of memory, or an error occurred while it ran. */
#define CONVOY_ERROR_DEVICE 10
/* A size that depends on data exceeds the maximum of its buffer. */
#define CONVOY_ERROR_EXTENT 11
/* The value of a symbol is outside its range. */
#define CONVOY_ERROR_SYMBOL 12
/* A function of the caller that provides the rows of an input failed. */
#define CONVOY_ERROR_ROW 13
/* The function of a custom op returned an error (convoy/custom_op.h). */
#define CONVOY_ERROR_CUSTOM_OP 14

/* Returns a sentence that describes the code. Never returns null, also for an unknown code.
 * The model's own <model>_error_text gives more details, such as the missing CPU features. */
const char *convoy_error_text(int code);

/* Checks that this CPU and its operating system can run code that needs `features`, a list
 * of LLVM's feature names separated by commas, as in the model's header. An unknown name
 * counts as missing. Returns CONVOY_OK, CONVOY_ERROR_UNSUPPORTED_CPU or
 * CONVOY_ERROR_NULL_POINTER. */
int convoy_check_cpu(const char *features);

/* Writes the missing features of `features` to `text`, separated by ", ", truncated to
 * `bytes` and terminated by a zero. Returns the length of the complete list; 0 means that
 * no feature is missing. `text` may be null if `bytes` is 0. */
size_t convoy_missing_features(const char *features, char *text, size_t bytes);

/* Maps the weights file at `path` read-only, so processes that map the same file share its
 * memory. `bytes` is the size of the model's weights and `hash` is their hash (32
 * hexadecimal digits). Stores the address in `*weights` only on success. */
int convoy_map_weights(const char *path, size_t bytes, const char *hash, const void **weights);

/* Unmaps weights that convoy_map_weights mapped. `weights` may be null. */
void convoy_unmap_weights(const void *weights, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CONVOY_H */
