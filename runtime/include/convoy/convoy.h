/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What every compiled model shares: the version of the interface, the codes that
 * its functions return, and the checks that they make. A compiled model holds all
 * it needs; link this runtime only to call these functions yourself.
 */

#ifndef CONVOY_CONVOY_H
#define CONVOY_CONVOY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when a compiled model and its header no longer fit older callers. */
#define CONVOY_ABI_VERSION 1

/* Return codes of <model>_run and of the functions below. */
#define CONVOY_OK 0
/* A pointer in inputs or outputs, or the workspace, is null. */
#define CONVOY_ERROR_NULL_POINTER 1
/* This CPU lacks instructions that the model was compiled for. */
#define CONVOY_ERROR_UNSUPPORTED_CPU 2
/* The data led into a branch that could not be compiled for the pinned shapes. */
#define CONVOY_ERROR_FAILED_BRANCH 3
/* The workspace is not aligned as the model's header says. */
#define CONVOY_ERROR_WORKSPACE 4
/* Compiled with --weights=file, and <model>_open has not succeeded yet. */
#define CONVOY_ERROR_NOT_OPEN 5
/* The weights file cannot be mapped; errno says why. */
#define CONVOY_ERROR_WEIGHTS_FILE 6
/* The weights file is not the one that was written with this model. */
#define CONVOY_ERROR_WRONG_WEIGHTS 7
/* A part of the model runs on a device, and <model>_init has not succeeded yet. */
#define CONVOY_ERROR_NO_DEVICE 8
/* The device does not know the program, or the program is damaged. */
#define CONVOY_ERROR_PROGRAM 9
/* The device failed: out of its memory, or an error while it ran. */
#define CONVOY_ERROR_DEVICE 10

/* What a code means, as a sentence; never null, also for a number that is no code.
 * The model's own <model>_error_text says more: which features are missing. */
const char *convoy_error_text(int code);

/* Whether this CPU and its operating system run code that needs `features`: LLVM's
 * names separated by commas, as in the model's header. A name that is not known
 * counts as missing. Returns CONVOY_OK, CONVOY_ERROR_UNSUPPORTED_CPU, or
 * CONVOY_ERROR_NULL_POINTER. */
int convoy_check_cpu(const char *features);

/* Writes those of `features` that are missing to `text`, separated by ", ", cut to
 * `bytes` and always ended by a zero. Returns the length of the whole list, so 0
 * means that nothing is missing; `text` may be null when `bytes` is 0. */
size_t convoy_missing_features(const char *features, char *text, size_t bytes);

/* Maps the weights file at `path`, written with the model whose weights take
 * `bytes` and have that `hash` (32 hexadecimal digits), read-only: processes that
 * map one file share its memory. Stores its address in `*weights` on success
 * alone. */
int convoy_map_weights(const char *path, size_t bytes, const char *hash, const void **weights);

/* Gives back what convoy_map_weights took. Null is allowed. */
void convoy_unmap_weights(const void *weights, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CONVOY_H */
