/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The digest at the end of a compiled library and of a weights file: a mark, a SHA-256 of all bytes
 * before the digest, and the hash of the model. The compiler appends it; `convoy verify` and
 * convoy_load_checked compare it.
 *
 *   | bytes of the file | mark, 16 bytes | SHA-256, 32 bytes | hash of the model, 16 bytes |
 *
 * The SHA-256 is a tree, so that several threads or parts of a file can be checked on their own:
 *
 *   leaf i = SHA-256(0, bytes [i MiB, (i + 1) MiB))
 *   root   = SHA-256(1, number of bytes in 8 bytes (least first), hash of the model, leaf 0, leaf
 * 1, ...)
 */

#ifndef CONVOY_LOAD_DIGEST_H
#define CONVOY_LOAD_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONVOY_DIGEST_MARK "convoy sha256 1\n" /* 16 bytes */
#define CONVOY_DIGEST_MARK_BYTES 16
#define CONVOY_DIGEST_SHA_BYTES 32
#define CONVOY_DIGEST_HASH_BYTES 16
#define CONVOY_DIGEST_BYTES 64
#define CONVOY_DIGEST_LEAF_BYTES ((size_t)1 << 20)

/* Computes the SHA-256 of bytes. */
void convoy_sha256(const void *data, size_t bytes, uint8_t result[CONVOY_DIGEST_SHA_BYTES]);

/* Computes the digest of a file's bytes. `hash` is the hash of the model in 32 hexadecimal digits.
 * Returns 0 if it has another form. */
int convoy_make_digest(const void *data, size_t bytes, const char *hash,
                       uint8_t digest[CONVOY_DIGEST_BYTES]);

/* Compares the digest at the end of the file with the bytes. Returns 1 if they are equal, and
 * writes the hash of the model to `hash` (33 bytes) and the SHA-256 in hexadecimal digits to `sha`
 * (65 bytes); either may be null. Else returns 0 and writes a sentence to `text`. */
int convoy_verify_file(const char *path, char *hash, char *sha, char *text, size_t text_bytes);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_LOAD_DIGEST_H */
