/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The contract between the compiler and the runtime inside one compiled library. The
 * compiler generates a convoy_library and the exported functions, which call the functions
 * below. Users do not call them.
 */

#ifndef CONVOY_CORE_LIBRARY_H
#define CONVOY_CORE_LIBRARY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A weights file consists of the weights and this trailer: the mark, the hash in 32
 * hexadecimal digits, zeros, and the digest of all bytes before it (load/digest.h). The trailer is
 * at the end, so that the weights start on a page. */
#define CONVOY_WEIGHTS_TRAILER_BYTES 128
#define CONVOY_WEIGHTS_DIGEST_BYTES 64         /* of the trailer */
#define CONVOY_WEIGHTS_MARK "convoy weights 2" /* 16 bytes */
#define CONVOY_WEIGHTS_HASH_BYTES 32

/* While the compiler replaces a library and its weights, the earlier weights have this ending. If
 * the compiler is killed between the two, the earlier library still finds them. */
#define CONVOY_EARLIER_WEIGHTS ".earlier"

#define CONVOY_LIBRARY_TEXT_BYTES 768

/* The constants and the state of a library. Its constructor, <model>_open and <model>_close
 * write the state; the latter two must not run concurrently with <model>_run. */
typedef struct convoy_library {
  const char *model;
  const char *target;   /* as given to --target */
  const char *features; /* features that the code uses, separated by commas */
  size_t weights_bytes;
  const char *weights_hash;
  int *status;          /* if it is not CONVOY_OK, <model>_run returns it without running */
  const void **weights; /* where <model>_run finds its weights; null if they are linked in */
  char text[CONVOY_LIBRARY_TEXT_BYTES]; /* details of the last error */
} convoy_library;

/* Called once by the loader. Checks the CPU. If the weights are in a file, <model>_run
 * returns an error until convoy_library_open succeeds. */
void convoy_library_start(convoy_library *library);

int convoy_library_open(convoy_library *library, const char *path);
void convoy_library_close(convoy_library *library);
const char *convoy_library_error_text(const convoy_library *library, int code);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CORE_LIBRARY_H */
