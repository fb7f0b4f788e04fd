/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds the windows of one row of the input to 32-bit sums. */
#ifndef CONVOY_BYTE_SUM_H
#define CONVOY_BYTE_SUM_H

#include "byte_machine.h"

/* BEGIN */
/* sums[p * channels + c] += row[(p * stride - pad + t * dilation) * channels + c] - zero over the
 * taps t inside the row. */
CONVOY_INLINE void convoy_byte_sum(uint8_t *sums, const uint8_t *row, int32_t channels,
                                   int32_t input_columns, int32_t output_columns, int32_t taps,
                                   int32_t stride, int32_t dilation, int32_t pad, int32_t zero) {
  int32_t *to = (int32_t *)(void *)sums;
  for (int32_t column = 0; column < output_columns; ++column, to += channels) {
    int32_t at = column * stride - pad, inside = 0, first = 0;
    for (int32_t tap = 0; tap < taps; ++tap, at += dilation) {
      const int is_inside = at >= 0 && at < input_columns;
      first = is_inside && inside == 0 ? at : first;
      inside += is_inside;
    }
    const int8_t *const from = (const int8_t *)row + (ptrdiff_t)first * channels;
    const ptrdiff_t step = (ptrdiff_t)dilation * channels;
#if defined(CONVOY_MVE)
    int32_t c = 0;
    for (; channels - c >= 8; c += 8) { /* Two vectors per step. */
      int32x4_t low = vaddq_n_s32(vldrwq_s32(to + c), -zero * inside);
      int32x4_t high = vaddq_n_s32(vldrwq_s32(to + c + 4), -zero * inside);
      const int8_t *x = from + c;
      for (int32_t tap = inside; tap > 0; --tap, x += step) {
        low = vaddq_s32(low, vldrbq_s32(x));
        high = vaddq_s32(high, vldrbq_s32(x + 4));
      }
      vstrwq_s32(to + c, low);
      vstrwq_s32(to + c + 4, high);
    }
    for (; c < channels; c += 4) {
      const mve_pred16_t tail = vctp32q((uint32_t)(channels - c));
      int32x4_t total = vaddq_n_s32(vldrwq_z_s32(to + c, tail), -zero * inside);
      const int8_t *x = from + c;
      for (int32_t tap = inside; tap > 0; --tap, x += step) {
        total = vaddq_s32(total, vldrbq_z_s32(x, tail));
      }
      vstrwq_p_s32(to + c, total, tail);
    }
#else
    for (int32_t c = 0; c < channels; ++c) {
      int32_t total = to[c] - zero * inside;
      const int8_t *x = from + c;
      for (int32_t tap = inside; tap > 0; --tap, x += step) {
        total += *x;
      }
      to[c] = total;
    }
#endif
  }
}
/* END */

#endif
