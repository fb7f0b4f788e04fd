/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sets consecutive bytes to one value. */
#ifndef CONVOY_BYTE_FILL_H
#define CONVOY_BYTE_FILL_H

#include "byte_machine.h"

/* BEGIN */
CONVOY_INLINE void convoy_byte_fill(uint8_t *to, ptrdiff_t count, int32_t value) {
#if defined(CONVOY_MVE)
  const int8x16_t values = vdupq_n_s8((int8_t)value);
  for (; count >= 16; count -= 16) { /* Compilers would call memset, which stores bytes. */
    __asm__ volatile("vstrb.8 %q1, [%0], #16" : "+r"(to) : "w"(values) : "memory");
  }
  if (count > 0) {
    vstrbq_p_s8((int8_t *)to, values, vctp8q((uint32_t)count));
  }
#else
  memset(to, value, (size_t)count);
#endif
}
/* END */

#endif
