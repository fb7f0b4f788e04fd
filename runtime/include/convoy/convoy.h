/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What every compiled model shares: the version of the interface and the codes
 * that <model>_run returns.
 */

#ifndef CONVOY_CONVOY_H
#define CONVOY_CONVOY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when a compiled model and its header no longer fit older callers. */
#define CONVOY_ABI_VERSION 1

/* Return codes of <model>_run. */
#define CONVOY_OK 0
/* A pointer in inputs or outputs, or the workspace, is null. */
#define CONVOY_ERROR_NULL_POINTER 1
/* This CPU lacks instructions that the model was compiled for. */
#define CONVOY_ERROR_UNSUPPORTED_CPU 2
/* The data led into a branch that could not be compiled for the pinned shapes. */
#define CONVOY_ERROR_FAILED_BRANCH 3
/* The workspace is not aligned as the model's header says. */
#define CONVOY_ERROR_WORKSPACE 4

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CONVOY_H */
