/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes and checks the digests of files (digest.h).
 */

#define _POSIX_C_SOURCE 200809L

#include "digest.h"
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char digits[] = "0123456789abcdef";

static void to_text(const uint8_t *bytes, size_t count, char *text) {
  size_t i;
  for (i = 0; i < count; i++) {
    text[2 * i] = digits[bytes[i] >> 4];
    text[2 * i + 1] = digits[bytes[i] & 15];
  }
  text[2 * count] = '\0';
}

/* Reads 2 * count hexadecimal digits and the end of the text. */
static int from_text(const char *text, size_t count, uint8_t *bytes) {
  size_t i;
  if (strlen(text) != 2 * count) {
    return 0;
  }
  for (i = 0; i < 2 * count; i++) {
    const char *digit = strchr(digits, text[i]);
    if (digit == NULL) {
      return 0;
    }
    bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | (digit - digits));
  }
  return 1;
}

/* Starts the root. `hash` is the hash of the model in bytes. */
static void start_tree(convoy_sha256_state *root, uint64_t bytes, const uint8_t *hash) {
  uint8_t start[1 + 8] = {1};
  int i;
  for (i = 0; i < 8; i++) {
    start[1 + i] = (uint8_t)(bytes >> (8 * i));
  }
  convoy_sha256_start(root);
  convoy_sha256_add(root, start, sizeof(start));
  convoy_sha256_add(root, hash, CONVOY_DIGEST_HASH_BYTES);
}

static void add_leaf(convoy_sha256_state *root, const uint8_t *data, size_t bytes) {
  static const uint8_t kind = 0;
  uint8_t leaf[CONVOY_DIGEST_SHA_BYTES];
  convoy_sha256_state sha;
  convoy_sha256_start(&sha);
  convoy_sha256_add(&sha, &kind, 1);
  convoy_sha256_add(&sha, data, bytes);
  convoy_sha256_finish(&sha, leaf);
  convoy_sha256_add(root, leaf, sizeof(leaf));
}

static size_t leaf_bytes(uint64_t left) {
  return left < CONVOY_DIGEST_LEAF_BYTES ? (size_t)left : CONVOY_DIGEST_LEAF_BYTES;
}

int convoy_make_digest(const void *data, size_t bytes, const char *hash,
                       uint8_t digest[CONVOY_DIGEST_BYTES]) {
  uint8_t *sha = digest + CONVOY_DIGEST_MARK_BYTES;
  uint8_t *model = sha + CONVOY_DIGEST_SHA_BYTES;
  convoy_sha256_state root;
  size_t at;
  for (at = 0; at < CONVOY_DIGEST_MARK_BYTES; at++) {
    digest[at] = (uint8_t)CONVOY_DIGEST_MARK[at];
  }
  if (!from_text(hash, CONVOY_DIGEST_HASH_BYTES, model)) {
    return 0;
  }
  start_tree(&root, bytes, model);
  for (at = 0; at < bytes; at += CONVOY_DIGEST_LEAF_BYTES) {
    add_leaf(&root, (const uint8_t *)data + at, leaf_bytes(bytes - at));
  }
  convoy_sha256_finish(&root, sha);
  return 1;
}

/* What a caller of convoy_verify_file gets. */
struct answer {
  char *hash, *sha, *text;
  size_t text_bytes;
};

static int fail(const struct answer *out, const char *path, const char *problem,
                const char *remedy) {
  if (out->text_bytes > 0) {
    (void)snprintf(out->text, out->text_bytes, "%s %s%s", path, problem, remedy);
  }
  return 0;
}

/* Reads `bytes` bytes at an offset. The file may have become shorter. */
static int read_all(int file, uint8_t *data, size_t bytes, uint64_t offset) {
  while (bytes > 0) {
    ssize_t count = pread(file, data, bytes, (off_t)offset);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      errno = count == 0 ? EIO : errno;
      return 0;
    }
    data += count;
    bytes -= (size_t)count;
    offset += (uint64_t)count;
  }
  return 1;
}

/* Computes the SHA-256 of the tree. `leaf` has the bytes of one leaf. */
static int hash_file(int file, uint64_t bytes, const uint8_t *model, uint8_t *leaf, uint8_t *sha) {
  convoy_sha256_state root;
  uint64_t at;
  start_tree(&root, bytes, model);
  for (at = 0; at < bytes; at += CONVOY_DIGEST_LEAF_BYTES) {
    if (!read_all(file, leaf, leaf_bytes(bytes - at), at)) {
      return 0;
    }
    add_leaf(&root, leaf, leaf_bytes(bytes - at));
  }
  convoy_sha256_finish(&root, sha);
  return 1;
}

static int verify_bytes(const char *path, int file, uint64_t bytes, uint8_t *leaf,
                        const struct answer *out) {
  uint8_t digest[CONVOY_DIGEST_BYTES];
  const uint8_t *sha = digest + CONVOY_DIGEST_MARK_BYTES;
  const uint8_t *model = sha + CONVOY_DIGEST_SHA_BYTES;
  uint8_t found[CONVOY_DIGEST_SHA_BYTES];
  if (!read_all(file, digest, sizeof(digest), bytes)) {
    return fail(out, path, "cannot be read: ", strerror(errno));
  }
  if (memcmp(digest, CONVOY_DIGEST_MARK, CONVOY_DIGEST_MARK_BYTES) != 0) {
    return fail(out, path,
                "has no SHA-256 at its end: it is incomplete, or another program, such as "
                "strip, changed it, or an older version of Convoy wrote it",
                "; compile the model again");
  }
  if (!hash_file(file, bytes, model, leaf, found)) {
    return fail(out, path, "cannot be read: ", strerror(errno));
  }
  if (memcmp(found, sha, sizeof(found)) != 0) {
    return fail(out, path, "is damaged: its bytes do not have the SHA-256 at its end",
                "; copy it again, or compile the model again");
  }
  if (out->hash != NULL) {
    to_text(model, CONVOY_DIGEST_HASH_BYTES, out->hash);
  }
  if (out->sha != NULL) {
    to_text(sha, CONVOY_DIGEST_SHA_BYTES, out->sha);
  }
  return 1;
}

static int verify_open(const char *path, int file, const struct answer *out) {
  struct stat status;
  uint8_t *leaf;
  int is_correct;
  if (fstat(file, &status) != 0) {
    return fail(out, path, "cannot be read: ", strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(out, path, "is no regular file", "");
  }
  if (status.st_size < CONVOY_DIGEST_BYTES) {
    return fail(out, path, "is too short for a library or a weights file of Convoy",
                "; copy it again, or compile the model again");
  }
  leaf = malloc(CONVOY_DIGEST_LEAF_BYTES);
  if (leaf == NULL) {
    return fail(out, path, "cannot be verified: there is not enough memory", "");
  }
  is_correct = verify_bytes(path, file, (uint64_t)status.st_size - CONVOY_DIGEST_BYTES, leaf, out);
  free(leaf);
  return is_correct;
}

int convoy_verify_file(const char *path, char *hash, char *sha, char *text, size_t text_bytes) {
  struct answer out;
  int file, is_correct;
  out.hash = hash;
  out.sha = sha;
  out.text = text;
  out.text_bytes = text != NULL ? text_bytes : 0;
  /* O_NONBLOCK: a pipe without a writer would block. */
  file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return fail(&out, path, "cannot be read: ", strerror(errno));
  }
  is_correct = verify_open(path, file, &out);
  (void)close(file);
  return is_correct;
}
