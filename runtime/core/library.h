/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The contract between the compiler and the runtime inside one compiled library.
 * The compiler writes a convoy_library and the exported functions, which are calls
 * of the functions below; not for users.
 */

#ifndef CONVOY_CORE_LIBRARY_H
#define CONVOY_CORE_LIBRARY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A weights file is the weights, then these bytes: the mark, the hash in 32
 * hexadecimal digits, zeros. At the end, so that the weights start on a page. */
#define CONVOY_WEIGHTS_TRAILER_BYTES 64
#define CONVOY_WEIGHTS_MARK "convoy weights 1" /* 16 bytes */
#define CONVOY_WEIGHTS_HASH_BYTES 32

#define CONVOY_LIBRARY_TEXT_BYTES 768

/* What a library knows about itself and its state. Written by its constructor,
 * and by <model>_open and <model>_close, which must not run beside <model>_run. */
typedef struct convoy_library {
  const char *model;
  const char *target;   /* as given to --target */
  const char *features; /* that the code uses, separated by commas */
  size_t weights_bytes;
  const char *weights_hash;
  int *status;          /* what <model>_run returns without running when it is not CONVOY_OK */
  const void **weights; /* where <model>_run finds its weights; null when they are linked in */
  char text[CONVOY_LIBRARY_TEXT_BYTES]; /* of the last error that has more to say than its code */
} convoy_library;

/* Called once by the loader: checks the CPU and, when the weights are a file,
 * makes <model>_run wait for convoy_library_open. */
void convoy_library_start(convoy_library *library);

int convoy_library_open(convoy_library *library, const char *path);
void convoy_library_close(convoy_library *library);
const char *convoy_library_error_text(const convoy_library *library, int code);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CORE_LIBRARY_H */
