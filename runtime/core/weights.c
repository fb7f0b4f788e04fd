/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Maps weights files. The trailer shows whether a file belongs to the model. The weights
 * are not read, so the time to open a file does not depend on its size.
 */

#define _POSIX_C_SOURCE 200809L

#include "convoy/convoy.h"
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether the trailer matches the hash. */
static int check_trailer(const char *trailer, const char *hash) {
  const size_t mark_bytes = sizeof(CONVOY_WEIGHTS_MARK) - 1;
  int matches = strlen(hash) == CONVOY_WEIGHTS_HASH_BYTES &&
                memcmp(trailer, CONVOY_WEIGHTS_MARK, mark_bytes) == 0 &&
                memcmp(trailer + mark_bytes, hash, CONVOY_WEIGHTS_HASH_BYTES) == 0;
  return matches ? CONVOY_OK : CONVOY_ERROR_WRONG_WEIGHTS;
}

static int map_file(int file, size_t bytes, const char *hash, const void **weights) {
  struct stat status;
  size_t file_bytes = bytes + CONVOY_WEIGHTS_TRAILER_BYTES;
  void *mapped;
  int code;
  if (fstat(file, &status) != 0) {
    return CONVOY_ERROR_WEIGHTS_FILE;
  }
  if (status.st_size < 0 || (uintmax_t)status.st_size != (uintmax_t)file_bytes) {
    return CONVOY_ERROR_WRONG_WEIGHTS;
  }
  mapped = mmap(NULL, file_bytes, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    return CONVOY_ERROR_WEIGHTS_FILE;
  }
  code = check_trailer((const char *)mapped + bytes, hash);
  if (code != CONVOY_OK) {
    (void)munmap(mapped, file_bytes);
    return code;
  }
  *weights = mapped;
  return CONVOY_OK;
}

/* Maps the file of this path. Keeps errno. */
static int map_path(const char *path, size_t bytes, const char *hash, const void **weights) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  int code;
  int reason;
  if (file < 0) {
    return CONVOY_ERROR_WEIGHTS_FILE;
  }
  code = map_file(file, bytes, hash, weights);
  reason = errno;
  (void)close(file);
  errno = reason;
  return code;
}

int convoy_map_weights(const char *path, size_t bytes, const char *hash, const void **weights) {
  char earlier[4096]; /* the longest path of Linux */
  int code;
  if (path == NULL || hash == NULL || weights == NULL) {
    return CONVOY_ERROR_NULL_POINTER;
  }
  if (bytes > SIZE_MAX - CONVOY_WEIGHTS_TRAILER_BYTES) {
    return CONVOY_ERROR_WRONG_WEIGHTS;
  }
  code = map_path(path, bytes, hash, weights);
  if (code == CONVOY_ERROR_WRONG_WEIGHTS &&
      strlen(path) + sizeof(CONVOY_EARLIER_WEIGHTS) <= sizeof(earlier)) {
    (void)strcpy(earlier, path);
    (void)strcat(earlier, CONVOY_EARLIER_WEIGHTS);
    if (map_path(earlier, bytes, hash, weights) == CONVOY_OK) {
      return CONVOY_OK;
    }
  }
  return code;
}

void convoy_unmap_weights(const void *weights, size_t bytes) {
  if (weights != NULL) {
    /* munmap takes a pointer to non-const data, although it changes no byte. */
    (void)munmap((void *)weights, bytes + CONVOY_WEIGHTS_TRAILER_BYTES);
  }
}
