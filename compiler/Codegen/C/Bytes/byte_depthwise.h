/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes one row of a depthwise convolution with 3 x 3 taps.
 * Kernels/DepthwiseBytes/ DepthwiseBytes.td describes the arguments and the
 * order of weights and tables. */
#ifndef CONVOY_BYTE_DEPTHWISE_H
#define CONVOY_BYTE_DEPTHWISE_H

#include "byte_depthwise_dsp.h"
#include "byte_depthwise_mve.h"
#include "byte_fill.h"

/* BEGIN */
#if !defined(CONVOY_MVE)
CONVOY_SHARED void convoy_depthwise_pixel(int8_t *result, const int8_t *const *taps,
                                          const convoy_depthwise_group *first, int32_t channels,
                                          int32_t zero, int32_t low, int32_t high,
                                          int32_t zero_step) {
  convoy_depthwise_group group = *first;
  const convoy_byte_range range = {zero, low, high, 1};
  int32_t c = 0;
#if defined(CONVOY_DSP)
  for (; channels - c >= 4; c += 4) {
    const int32_t quarter = (c >> 2) & 3;
    convoy_depthwise_sums sums = convoy_depthwise_start(&group, quarter);
    for (int32_t tap = 0; tap < 9; ++tap) {
      convoy_depthwise_add(&sums, taps[tap] + c, group.weights + 4 * quarter + 16 * tap);
    }
    if (zero_step >= 0) {
      convoy_depthwise_correct(&sums, taps, c, &group, quarter);
    }
    convoy_depthwise_store(result + c, sums, &group, quarter, range);
    if (quarter == 3) {
      convoy_depthwise_next(&group);
    }
  }
#endif
  for (; c < channels; ++c) {
    const uint32_t at = (uint32_t)c & 15u;
    const uint32_t lane = (at >> 2) + ((at & 1u) << 3) + ((at & 2u) << 1);
    const int8_t *const w = group.weights + at;
    int32_t sum = group.biases[lane];
    if (group.corrections != NULL) {
      sum += group.corrections[lane];
    }
    for (int32_t tap = 0; tap < 9; ++tap) {
      sum += taps[tap][c] * w[16 * tap];
    }
    if (zero_step >= 0) {
      int32_t total = -group.input_zeros;
      for (int32_t tap = 0; tap < 9; ++tap) {
        total += taps[tap][c];
      }
      sum -= group.zeros[lane] * total;
    }
    result[c] =
        (int8_t)convoy_byte_rescale_up(sum, group.multipliers[lane], group.shifts[lane], range);
    if (at == 15u) {
      convoy_depthwise_next(&group);
    }
  }
}
#endif

#if defined(CONVOY_MVE) || defined(CONVOY_DSP)
/* Computes pixels without missing taps from column `at` of the input on.
 * Returns their number, which is at most `count` and can be 0. */
CONVOY_INLINE int32_t convoy_depthwise_run(int8_t *result, const int8_t *const *rows, int32_t at,
                                           const convoy_depthwise_group *group, int32_t channels,
                                           int32_t stride, int32_t dilation, int32_t count,
                                           int32_t result_zero, int32_t low, int32_t high,
                                           int32_t zero_step) {
  const ptrdiff_t from = (ptrdiff_t)at * channels;
  int32_t groups = channels / 16, vectors = count, advance = stride * channels;
  int32_t result_advance = channels;
  if (channels < 16 && 16 % channels == 0 && stride == 1) { /* A vector has several pixels. */
    const int32_t pixels = 16 / channels;
    groups = 1;
    vectors = count / pixels;
    advance = result_advance = 16;
    count = vectors * pixels;
  } else if (channels % 16 != 0) {
    return 0;
  }
  if (vectors > 0) {
    convoy_depthwise_inside(result, rows[0] + from, rows[1] + from, rows[2] + from, group, groups,
                            dilation * channels, advance, result_advance, vectors, result_zero, low,
                            high, zero_step);
  }
  return count;
}
#endif

/* x0, x1 and x2 are the rows of the taps. Bit i of `missing` says that row i does not exist. A
 * missing tap has the value `zero`; `outside` has memory for one pixel. If all layers of a network
 * have no zero points of weights, compilers propagate the constant zero_step and remove their code.
 */
CONVOY_SHARED void
convoy_byte_depthwise(uint8_t *result, const uint8_t *x0, const uint8_t *x1, const uint8_t *x2,
                      const uint8_t *weights, const uint32_t *bias, const uint32_t *multiplier,
                      const uint32_t *shift, const uint32_t *zeros, uint8_t *outside,
                      ptrdiff_t missing, int32_t channels, int32_t input_columns,
                      int32_t output_columns, int32_t stride, int32_t dilation, int32_t pad,
                      int32_t zero, int32_t first, int32_t table_step, int32_t zero_step,
                      int32_t result_zero, int32_t low, int32_t high) {
  const convoy_depthwise_group group = {first > 0 ? (const int32_t *)(const void *)weights : NULL,
                                        (const int8_t *)weights + first,
                                        (const int32_t *)bias,
                                        (const int32_t *)multiplier,
                                        (const int32_t *)shift,
                                        (const int32_t *)zeros,
                                        first + 144,
                                        table_step,
                                        zero_step,
                                        9 * zero};
  const int8_t *const rows[3] = {(const int8_t *)x0, (const int8_t *)x1, (const int8_t *)x2};
  int8_t *to = (int8_t *)result;
  convoy_byte_fill(outside, channels, zero);
  int32_t at = -pad;
  for (int32_t column = 0; column < output_columns; ++column, at += stride, to += channels) {
#if defined(CONVOY_MVE) || defined(CONVOY_DSP)
    const int32_t last = input_columns - 1 - 2 * dilation;
    if (missing == 0 && at >= 0 && at <= last) {
      const int32_t left = (last - at) / stride + 1, rest = output_columns - column;
      const int32_t count =
          convoy_depthwise_run(to, rows, at, &group, channels, stride, dilation,
                               left < rest ? left : rest, result_zero, low, high, zero_step);
      column += count;
      at += count * stride;
      to += count * channels;
      if (column >= output_columns) {
        break;
      }
    }
#endif
    const int8_t *taps[9];
    for (int32_t row = 0; row < 3; ++row) {
      const int32_t is_missing = (missing >> row) & 1;
      const int8_t *from = rows[row] + (ptrdiff_t)at * channels;
      for (int32_t tap = 0, x = at; tap < 3; ++tap, x += dilation) {
        const int is_inside = is_missing == 0 && x >= 0 && x < input_columns;
        taps[3 * row + tap] = is_inside ? from : (const int8_t *)outside;
        from += dilation * channels;
      }
    }
    convoy_depthwise_pixel(to, taps, &group, channels, result_zero, low, high, zero_step);
  }
}
/* END */

#endif
