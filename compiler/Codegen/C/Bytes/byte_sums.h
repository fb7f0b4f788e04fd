/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sums of products of bytes for groups of four channels. ByteGroupsAttr (Kernels/ConvBytes)
 * describes the order of the weights: a group has blocks of 16 bytes of each of its channels. */
#ifndef CONVOY_BYTE_SUMS_H
#define CONVOY_BYTE_SUMS_H

#include "byte_sums_dsp.h"
#include "byte_sums_mve.h"
#include "byte_zeros.h"

/* BEGIN */
#if !defined(CONVOY_DSP)
/* Adds the products of four channels and one pixel. If `width` is 2, convoy_byte_extend wrote x. */
CONVOY_INLINE void convoy_byte_sums_plain(const uint8_t *x, const uint8_t *w, int32_t depth,
                                          int32_t width, convoy_byte_zeros zeros, int32_t sums[4]) {
  const int16_t *const wide = (const int16_t *)(const void *)x;
  int32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  int32_t total = -depth * zeros.input; /* of the input minus its zero point */
  for (int32_t begin = 0; begin < depth; begin += 16, w += 48) {
    const int32_t end = depth - begin < 16 ? depth : begin + 16;
    for (int32_t i = begin; i < end; ++i, ++w) {
      const int32_t swapped = (i & ~3) + ((i & 1) << 1) + ((i & 2) >> 1);
      const int32_t pixel = width == 2 ? wide[swapped] : (int8_t)x[i];
      total += pixel;
      sum0 += pixel * (int8_t)w[0];
      sum1 += pixel * (int8_t)w[16];
      sum2 += pixel * (int8_t)w[32];
      sum3 += pixel * (int8_t)w[48];
    }
  }
  const int32_t all[4] = {sum0, sum1, sum2, sum3};
  for (int32_t i = 0; i < 4; ++i) {
    sums[i] = zeros.step < 0 ? all[i] : all[i] - zeros.table[i] * total;
  }
}
#endif
/* END */

#endif
