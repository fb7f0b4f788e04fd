/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes the maximum of a row of results and of the windows of one row of the input. */
#ifndef CONVOY_BYTE_MAX_H
#define CONVOY_BYTE_MAX_H

#include "byte_machine.h"

/* BEGIN */
/* result[p * channels + c] = max(result[...], row[(p * stride - pad + t * dilation) * channels +
 * c]) over the taps t inside the row. */
CONVOY_INLINE void convoy_byte_max(uint8_t *result, const uint8_t *row, int32_t channels,
                                   int32_t input_columns, int32_t output_columns, int32_t taps,
                                   int32_t stride, int32_t dilation, int32_t pad) {
  for (int32_t column = 0; column < output_columns; ++column, result += channels) {
    for (int32_t tap = 0; tap < taps; ++tap) {
      const int32_t at = column * stride - pad + tap * dilation;
      if (at < 0 || at >= input_columns) {
        continue;
      }
      const int8_t *const from = (const int8_t *)row + (ptrdiff_t)at * channels;
      int8_t *const to = (int8_t *)result;
#if defined(CONVOY_MVE)
      for (int32_t c = 0; c < channels; c += 16) {
        const mve_pred16_t tail = vctp8q((uint32_t)(channels - c));
        const int8x16_t largest = vmaxq_s8(vldrbq_z_s8(to + c, tail), vldrbq_z_s8(from + c, tail));
        vstrbq_p_s8(to + c, largest, tail);
      }
#else
      for (int32_t c = 0; c < channels; ++c) {
        to[c] = from[c] > to[c] ? from[c] : to[c];
      }
#endif
    }
  }
}
/* END */

#endif
