/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A word contains the number of steps taken from the front and from the back of its part. A
 * thread takes half of the remaining steps, from the front or from the back. The first runs
 * are long, which is efficient for kernels. The last runs are single steps, so that threads
 * do not wait for each other.
 */

#include "share.h"

#include <stdatomic.h>

static int64_t bound(int32_t part, int32_t parts, int32_t range) {
  return (int64_t)range * part / parts;
}

static int64_t take_from(_Atomic uint64_t *word, int64_t low, int64_t high, int32_t least,
                         int is_front) {
  uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);
  for (;;) {
    int64_t front = (int64_t)(seen >> 32);
    int64_t back = (int64_t)(seen & 0xffffffffU);
    int64_t left = high - low - front - back;
    int64_t count = (left + 1) / 2;
    uint64_t next;
    if (left <= 0) {
      return 0;
    }
    count = count < least ? least : count;
    count = count > left ? left : count;
    next = seen + ((uint64_t)count << (is_front ? 32 : 0));
    if (atomic_compare_exchange_weak_explicit(word, &seen, next, memory_order_relaxed,
                                              memory_order_relaxed)) {
      int64_t begin = is_front ? low + front : high - back - count;
      return (int64_t)(((uint64_t)begin << 32) | (uint64_t)(begin + count));
    }
  }
}

int64_t convoy_share_take(void *words, int32_t part, int32_t parts, int32_t range, int32_t least) {
  _Atomic uint64_t *all = (_Atomic uint64_t *)words;
  int32_t i;
  for (i = 0; i < parts; ++i) {
    int32_t at = (int32_t)(((int64_t)part + i) % parts);
    int64_t taken = take_from(&all[at], bound(at, parts, range), bound(at + 1, parts, range), least,
                              /*is_front=*/i == 0);
    if (taken != 0) {
      return taken;
    }
  }
  return 0;
}
