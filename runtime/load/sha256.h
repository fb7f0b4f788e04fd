/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * SHA-256 of bytes that arrive in parts. digest.c uses it.
 */

#ifndef CONVOY_LOAD_SHA256_H
#define CONVOY_LOAD_SHA256_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct convoy_sha256_state {
  uint32_t state[8];
  uint64_t bytes;
  uint8_t block[64]; /* the bytes after the last complete block */
  int uses_instructions;
} convoy_sha256_state;

void convoy_sha256_start(convoy_sha256_state *sha);
/* Same without the instructions of the CPU, for tests. */
void convoy_sha256_start_portable(convoy_sha256_state *sha);
void convoy_sha256_add(convoy_sha256_state *sha, const void *data, size_t bytes);
void convoy_sha256_finish(convoy_sha256_state *sha, uint8_t result[32]);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_LOAD_SHA256_H */
