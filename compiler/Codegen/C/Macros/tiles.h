/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tile registers (AMX): eight registers of 16 rows of 64 bytes, by number. The plain bodies keep
 * the registers of a kernel in memory and define the results. Linux provides tile registers only to
 * processes that request them, so <model>_run calls convoy_request_tiles. */
#ifndef CONVOY_TILES_H
#define CONVOY_TILES_H

#include "dot_us.h"

/* BEGIN */
#if defined(__AMX_TILE__) && defined(__AMX_INT8__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(CONVOY_PLAIN_VECTORS)
/* arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA) without the C library. A repeated request is cheap. */
static int convoy_request_tiles(void) {
  long result = 158;
  __asm__ volatile("syscall" : "+a"(result) : "D"(0x1023L), "S"(18L) : "rcx", "r11", "memory");
  return result == 0;
}

/* The intrinsics of gcc do not declare that they read memory. */
#define CONVOY_TILE_BARRIER __asm__ volatile("" ::: "memory")
#define CONVOY_TILE_ADDRESS(address) ((void *)(uintptr_t)(address))
#define CONVOY_TILES_BEGIN(address)                                                                \
  CONVOY_TILE_BARRIER;                                                                             \
  _tile_loadconfig(CONVOY_TILE_ADDRESS(address))
#define CONVOY_TILES_END() _tile_release()
#define CONVOY_TILE_ZERO(tile) _tile_zero(tile)
#define CONVOY_TILE_LOAD(tile, address, stride)                                                    \
  CONVOY_TILE_BARRIER;                                                                             \
  _tile_loadd(tile, CONVOY_TILE_ADDRESS(address), stride)
#define CONVOY_TILE_STORE(tile, address, stride)                                                   \
  _tile_stored(tile, CONVOY_TILE_ADDRESS(address), stride);                                        \
  CONVOY_TILE_BARRIER
/* Adds the dot product of four unsigned bytes of x and four signed bytes of w to each sum. */
#define CONVOY_TILE_DOT_US(sums, x, w) _tile_dpbusd(sums, x, w)
#else
static int convoy_request_tiles(void) { return 1; }

typedef struct {
  u32x16 rows[16];
} convoy_tile;

#define CONVOY_TILES_BEGIN(address)                                                                \
  convoy_tile tiles_[8];                                                                           \
  memset(tiles_, 0, sizeof tiles_);                                                                \
  (void)(address)
#define CONVOY_TILES_END() (void)tiles_
#define CONVOY_TILE_ZERO(tile) memset(&tiles_[tile], 0, sizeof tiles_[tile])
#define CONVOY_TILE_LOAD(tile, address, stride)                                                    \
  for (uintptr_t row_ = 0; row_ < 16; ++row_) {                                                    \
    memcpy(&tiles_[tile].rows[row_], (const void *)((uintptr_t)(address) + row_ * (stride)), 64);  \
  }                                                                                                \
  (void)tiles_
#define CONVOY_TILE_STORE(tile, address, stride)                                                   \
  for (uintptr_t row_ = 0; row_ < 16; ++row_) {                                                    \
    memcpy((void *)((uintptr_t)(address) + row_ * (stride)), &tiles_[tile].rows[row_], 64);        \
  }                                                                                                \
  (void)tiles_
/* Eight rows of sums stay in registers. */
#define CONVOY_TILE_DOT_US(sums, x, w)                                                             \
  for (int half_ = 0; half_ < 16; half_ += 8) {                                                    \
    u32x16 sums_[8];                                                                               \
    memcpy(sums_, &tiles_[sums].rows[half_], sizeof sums_);                                        \
    for (int word_ = 0; word_ < 16; ++word_) {                                                     \
      const u32x16 weights_ = tiles_[w].rows[word_];                                               \
      for (int row_ = 0; row_ < 8; ++row_) {                                                       \
        const u32x16 factors_ = (u32x16){0} + tiles_[x].rows[half_ + row_][word_];                 \
        sums_[row_] = CONVOY_DOT_US_16(sums_[row_], factors_, weights_);                           \
      }                                                                                            \
    }                                                                                              \
    memcpy(&tiles_[sums].rows[half_], sums_, sizeof sums_);                                        \
  }                                                                                                \
  (void)tiles_
#endif
/* END */

#endif
