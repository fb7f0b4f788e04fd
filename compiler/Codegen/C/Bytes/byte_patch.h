/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Copies the input of neighboring pixels of a convolution to one patch of bytes per pixel. */
#ifndef CONVOY_BYTE_PATCH_H
#define CONVOY_BYTE_PATCH_H

#include "byte_fill.h"

/* BEGIN */
CONVOY_INLINE void convoy_byte_copy(uint8_t *to, const uint8_t *from, int32_t count) {
#if defined(CONVOY_MVE)
  if (count < 8) {
    memcpy(to, from, (size_t)count);
    return;
  }
  for (; count >= 16; count -= 16) { /* Compilers would call memcpy. */
    __asm__ volatile("vldrb.8 q0, [%1], #16\n\tvstrb.8 q0, [%0], #16"
                     : "+r"(to), "+r"(from)
                     :
                     : "q0", "memory");
  }
  if (count > 0) {
    const mve_pred16_t lanes = vctp8q((uint32_t)count);
    vstrbq_p_u8(to, vldrbq_z_u8(from, lanes), lanes);
  }
#elif defined(__ARM_FEATURE_UNALIGNED) /* The library copies unaligned bytes one by one. */
  uint32_t words[4];
  CONVOY_ROLLED
  for (; count >= 16; count -= 16, to += 16, from += 16) {
    memcpy(words, from, 16);
    memcpy(to, words, 16);
  }
  CONVOY_ROLLED
  for (; count >= 4; count -= 4, to += 4, from += 4) {
    memcpy(words, from, 4);
    memcpy(to, words, 4);
  }
  for (int32_t i = 0; i < count; ++i) {
    to[i] = from[i];
  }
#else
  memcpy(to, from, (size_t)count);
#endif
}

/* Copies one row of taps of `pixels` pixels, the first at column `first` of the result, from a row
 * of the input. Tap t of a pixel is column c * stride - pad + t * dilation of the input; taps
 * outside are `zero`. */
CONVOY_INLINE void convoy_byte_patch(const uint8_t *row, uint8_t *patch, ptrdiff_t first,
                                     ptrdiff_t pixels, int32_t columns, int32_t channels,
                                     int32_t taps, int32_t stride, int32_t dilation, int32_t pad,
                                     int32_t patch_step, int32_t zero) {
  int32_t column = (int32_t)first * stride - pad;
  for (ptrdiff_t p = 0; p < pixels; ++p, column += stride, patch += patch_step) {
    if (dilation == 1 && column >= 0 && column + taps <= columns) {
      convoy_byte_copy(patch, row + column * channels, taps * channels);
      continue;
    }
    for (int32_t tap = 0; tap < taps; ++tap) {
      const int32_t at = column + tap * dilation;
      if (at >= 0 && at < columns) {
        convoy_byte_copy(patch + tap * channels, row + at * channels, channels);
      } else {
        convoy_byte_fill(patch + tap * channels, channels, zero);
      }
    }
  }
}
/* END */

#endif
