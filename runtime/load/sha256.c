/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * SHA-256 (FIPS 180-4) for the digests of files. x86 CPUs with the SHA instructions use them.
 */

#include "sha256.h"
#include "digest.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#define BLOCK_BYTES 64

/* The fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int bits) { return x >> bits | x << (32 - bits); }

static void add_block(uint32_t state[8], const uint8_t *block) {
  uint32_t w[64];
  uint32_t v[8];
  int i;
  for (i = 0; i < 16; i++) {
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
           (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  }
  for (i = 16; i < 64; i++) {
    uint32_t a = w[i - 15];
    uint32_t b = w[i - 2];
    w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
           (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  memcpy(v, state, sizeof(v));
  for (i = 0; i < 64; i++) {
    uint32_t first = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
                     ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
    uint32_t second = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
                      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof(v[0]));
    v[4] += first;
    v[0] = first + second;
  }
  for (i = 0; i < 8; i++) {
    state[i] += v[i];
  }
}

static void add_blocks_portable(uint32_t state[8], const uint8_t *data, size_t blocks) {
  for (; blocks > 0; blocks--, data += BLOCK_BYTES) {
    add_block(state, data);
  }
}

#if defined(__x86_64__)

static __m128i load_vector(const void *bytes) {
  __m128i vector;
  memcpy(&vector, bytes, sizeof(vector));
  return vector;
}

static void store_vector(void *bytes, __m128i vector) { memcpy(bytes, &vector, sizeof(vector)); }

/* The instructions keep the state as (a, b, e, f) and (c, d, g, h), most significant first, and
 * compute two rounds each. `w` has four words of the schedule per element. */
__attribute__((target("sha,sse4.1"))) static void
add_blocks_sha(uint32_t state[8], const uint8_t *data, size_t blocks) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i low = load_vector(state);
  __m128i high = load_vector(state + 4);
  __m128i badc = _mm_shuffle_epi32(low, 0xb1);
  __m128i hgfe = _mm_shuffle_epi32(high, 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; blocks > 0; blocks--, data += BLOCK_BYTES) {
    __m128i before_abef = abef;
    __m128i before_cdgh = cdgh;
    __m128i w[16];
    int i;
    for (i = 0; i < 16; i++) {
      __m128i sum;
      if (i < 4) {
        w[i] = _mm_shuffle_epi8(load_vector(data + 16 * i), swap);
      } else {
        sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[i - 4], w[i - 3]),
                            _mm_alignr_epi8(w[i - 1], w[i - 2], 4));
        w[i] = _mm_sha256msg2_epu32(sum, w[i - 1]);
      }
      sum = _mm_add_epi32(w[i], load_vector(constants + 4 * i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, before_abef);
    cdgh = _mm_add_epi32(cdgh, before_cdgh);
  }
  low = _mm_shuffle_epi32(abef, 0x1b);  /* f, e, b, a to a, b, e, f */
  high = _mm_shuffle_epi32(cdgh, 0xb1); /* to d, c, h, g in pairs */
  store_vector(state, _mm_blend_epi16(low, high, 0xf0));
  store_vector(state + 4, _mm_alignr_epi8(high, low, 8));
}

/* Reads cpuid, so that no constructor of a compiler's library is needed. */
static int has_sha(void) {
  unsigned a, b, c, d;
  unsigned has_sse41 = __get_cpuid(1, &a, &b, &c, &d) ? c & bit_SSE4_1 : 0;
  return has_sse41 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) != 0;
}

#else

static void add_blocks_sha(uint32_t state[8], const uint8_t *data, size_t blocks) {
  add_blocks_portable(state, data, blocks);
}

static int has_sha(void) { return 0; }

#endif

static void start(convoy_sha256_state *sha, int uses_instructions) {
  /* The fractional parts of the square roots of the first 8 primes. */
  static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(sha->state, initial, sizeof(initial));
  sha->bytes = 0;
  sha->uses_instructions = uses_instructions;
}

void convoy_sha256_start(convoy_sha256_state *sha) { start(sha, has_sha()); }

void convoy_sha256_start_portable(convoy_sha256_state *sha) { start(sha, 0); }

static void add_blocks(convoy_sha256_state *sha, const uint8_t *data, size_t blocks) {
  if (sha->uses_instructions) {
    add_blocks_sha(sha->state, data, blocks);
  } else {
    add_blocks_portable(sha->state, data, blocks);
  }
}

void convoy_sha256_add(convoy_sha256_state *sha, const void *data, size_t bytes) {
  const uint8_t *next = data;
  size_t kept = (size_t)(sha->bytes % BLOCK_BYTES);
  sha->bytes += bytes;
  if (kept > 0) {
    size_t missing = BLOCK_BYTES - kept;
    size_t taken = bytes < missing ? bytes : missing;
    memcpy(sha->block + kept, next, taken);
    next += taken;
    bytes -= taken;
    if (taken < missing) {
      return;
    }
    add_blocks(sha, sha->block, 1);
  }
  add_blocks(sha, next, bytes / BLOCK_BYTES);
  if (bytes % BLOCK_BYTES > 0) {
    memcpy(sha->block, next + bytes / BLOCK_BYTES * BLOCK_BYTES, bytes % BLOCK_BYTES);
  }
}

void convoy_sha256_finish(convoy_sha256_state *sha, uint8_t result[CONVOY_DIGEST_SHA_BYTES]) {
  uint64_t bits = sha->bytes * 8;
  uint8_t end[2 * BLOCK_BYTES] = {0x80};
  size_t kept = (size_t)(sha->bytes % BLOCK_BYTES);
  size_t padding = (kept < 56 ? 56 : 120) - kept;
  int i;
  for (i = 0; i < 8; i++) {
    end[padding + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
  }
  convoy_sha256_add(sha, end, padding + 8);
  for (i = 0; i < 32; i++) {
    result[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
  }
}

void convoy_sha256(const void *data, size_t bytes, uint8_t result[CONVOY_DIGEST_SHA_BYTES]) {
  convoy_sha256_state sha;
  convoy_sha256_start(&sha);
  convoy_sha256_add(&sha, data, bytes);
  convoy_sha256_finish(&sha, result);
}
