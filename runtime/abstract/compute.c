/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The compute engine, bit-exact. Integer sums are exact in any order, so loops run along columns,
 * which host compilers vectorize. Values are read as (byte ^ flip) - bias, one expression for
 * signed and unsigned bytes.
 */

#include "isa.h"

#include <string.h>

#define R(name) regs[CONVOY_ABSTRACT_R_##name]
#define CHUNK 64 /* columns per chunk, so that the sums fit on the stack */

static int32_t load_value(const uint8_t *at, int32_t type) {
  int16_t wide;
  if (type == CONVOY_ABSTRACT_S16) {
    memcpy(&wide, at, sizeof(wide));
    return wide;
  }
  return type == CONVOY_ABSTRACT_S8 ? (int32_t)(*at ^ 0x80u) - 128 : (int32_t)*at;
}

static void store_value(uint8_t *at, int32_t type, int64_t value) {
  if (type == CONVOY_ABSTRACT_S16) {
    int16_t wide = (int16_t)value;
    memcpy(at, &wide, sizeof(wide));
  } else {
    *at = (uint8_t)((uint64_t)value & 0xFFu);
  }
}

/* Wraps to 32 bits, the width of the accumulators. */
static int32_t wrap(uint32_t value) {
  int32_t result;
  memcpy(&result, &value, sizeof(result));
  return result;
}

/* Returns value / 2^shift, rounded. Compares the remainder, so ties are exact. */
static int64_t shift_down(int64_t value, uint32_t shift, int32_t rounding) {
  uint64_t remainder;
  uint64_t half;
  int64_t quotient;
  int up;
  if (shift == 0) {
    return value;
  }
  /* Floor; in C the right shift of a negative value is implementation-defined. */
  quotient = value >= 0 ? (int64_t)((uint64_t)value >> shift)
                        : -(int64_t)(((uint64_t)-(value + 1) >> shift) + 1u);
  remainder = (uint64_t)value & (((uint64_t)1 << shift) - 1u);
  half = (uint64_t)1 << (shift - 1u);
  up = remainder > half || (remainder == half && (rounding == 1 || (rounding == 0 && value > 0) ||
                                                  (rounding == 2 && (quotient & 1) != 0)));
  return quotient + up;
}

/* Requantizes: multiplies, shifts, adds the zero point, saturates. */
static int64_t requantize(const int32_t *regs, int64_t product, uint32_t shift) {
  int64_t value = shift_down(product, shift, R(rounding)) + R(out_zero);
  if (value < R(out_min)) {
    return R(out_min);
  }
  return value > R(out_max) ? R(out_max) : value;
}

static uint8_t *out_row(const int32_t *regs, uint8_t *local, int32_t c, int32_t y) {
  return local + R(out_addr) + (int64_t)c * R(out_plane) + (int64_t)y * R(out_row);
}

static const uint8_t *in_row(const int32_t *regs, const uint8_t *local, int32_t c, int32_t y) {
  return local + R(in_addr) + (int64_t)c * R(in_plane) + (int64_t)y * R(in_row);
}

/* Clips [first, last) to the columns x whose tap is inside the input: 0 <= x * stride + offset <
 * in_w. */
static void clip_columns(const int32_t *regs, int32_t offset, int32_t *first, int32_t *last) {
  int32_t stride = R(stride_w);
  int32_t least = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  int32_t reach = R(in_w) - 1 - offset;
  int32_t end = reach < 0 ? 0 : reach / stride + 1;
  *first = *first > least ? *first : least;
  *last = *last < end ? *last : end;
}

/* Adds sums[x - x0] += (input - zero) * weight for one row of taps of one channel. */
static void add_taps(const int32_t *regs, const uint8_t *row, const uint8_t *weights,
                     int32_t weight_zero, int32_t x0, int32_t x1, int32_t *sums) {
  const int32_t stride = R(stride_w);
  const uint32_t flip = R(in_type) == CONVOY_ABSTRACT_S8 ? 0x80u : 0u;
  const int32_t zero = R(in_zero) + (int32_t)flip;
  int32_t kx;
  int32_t x;
  for (kx = 0; kx < R(kernel_w); ++kx) {
    const int32_t weight = load_value(weights + kx, R(weight_type)) - weight_zero;
    const int32_t offset = kx * R(dilation_w) - R(pad_left);
    int32_t first = x0;
    int32_t last = x1;
    clip_columns(regs, offset, &first, &last);
    if (R(in_type) == CONVOY_ABSTRACT_S16) {
      for (x = first; x < last; ++x) {
        sums[x - x0] +=
            (load_value(row + 2 * ((int64_t)x * stride + offset), R(in_type)) - zero) * weight;
      }
    } else if (stride == 1) {
      const uint8_t *from = row + offset;
      for (x = first; x < last; ++x) {
        sums[x - x0] += ((int32_t)(from[x] ^ flip) - zero) * weight;
      }
    } else {
      const uint8_t *from = row + offset;
      for (x = first; x < last; ++x) {
        sums[x - x0] += ((int32_t)(from[(int64_t)x * stride] ^ flip) - zero) * weight;
      }
    }
  }
}

static void conv_chunk(const int32_t *regs, uint8_t *local, int32_t c, int32_t y, int32_t x0,
                       int is_depthwise) {
  const int32_t x1 = x0 + CHUNK < R(out_w) ? x0 + CHUNK : R(out_w);
  const int32_t channels = is_depthwise ? 1 : R(in_c);
  const uint8_t *weights =
      local + R(weight_addr) + (int64_t)c * channels * R(kernel_h) * R(kernel_w);
  uint8_t *out = out_row(regs, local, c, y);
  int32_t table[4];
  int32_t sums[CHUNK] = {0};
  int32_t i;
  int32_t ky;
  int32_t x;
  memcpy(table, local + R(table_addr) + (int64_t)c * CONVOY_ABSTRACT_TABLE_BYTES, sizeof(table));
  for (i = 0; i < channels; ++i) {
    for (ky = 0; ky < R(kernel_h); ++ky, weights += R(kernel_w)) {
      const int32_t iy = y * R(stride_h) + ky * R(dilation_h) - R(pad_top);
      if (iy >= 0 && iy < R(in_h)) {
        add_taps(regs, in_row(regs, local, is_depthwise ? c : i, iy), weights, table[3], x0, x1,
                 sums);
      }
    }
  }
  for (x = x0; x < x1; ++x) {
    const int64_t sum = wrap((uint32_t)sums[x - x0] + (uint32_t)table[0]);
    store_value(out + (int64_t)x * convoy_abstract_type_bytes(R(out_type)), R(out_type),
                requantize(regs, sum * table[1], (uint32_t)table[2] & 63u));
  }
}

static int64_t pool_window(const int32_t *regs, const uint8_t *local, int32_t c, int32_t y,
                           int32_t x, int is_max) {
  int64_t result = is_max ? INT32_MIN : 0;
  int32_t ky;
  int32_t kx;
  for (ky = 0; ky < R(kernel_h); ++ky) {
    const int32_t iy = y * R(stride_h) + ky * R(dilation_h) - R(pad_top);
    if (iy < 0 || iy >= R(in_h)) {
      continue;
    }
    for (kx = 0; kx < R(kernel_w); ++kx) {
      const int32_t ix = x * R(stride_w) + kx * R(dilation_w) - R(pad_left);
      int64_t value;
      if (ix < 0 || ix >= R(in_w)) {
        continue;
      }
      value = load_value(in_row(regs, local, c, iy) +
                             (int64_t)ix * convoy_abstract_type_bytes(R(in_type)),
                         R(in_type)) -
              R(in_zero);
      if (is_max) {
        result = value > result ? value : result;
      } else {
        result += value;
      }
    }
  }
  return result;
}

static int64_t combine(const int32_t *regs, const uint8_t *local, uint32_t opcode, int32_t c,
                       int32_t y, int32_t x) {
  const uint8_t *second = local + R(in2_addr) + (int64_t)c * R(in2_plane) +
                          (int64_t)y * R(in2_row) +
                          (int64_t)x * convoy_abstract_type_bytes(R(in2_type));
  const int64_t a =
      load_value(in_row(regs, local, c, y) + (int64_t)x * convoy_abstract_type_bytes(R(in_type)),
                 R(in_type)) -
      R(in_zero);
  const int64_t b = load_value(second, R(in2_type)) - R(in2_zero);
  return opcode == CONVOY_ABSTRACT_OP_mul ? a * b * R(scale) : a * R(scale) + b * R(scale2);
}

static void run_element(uint32_t opcode, const int32_t *regs, uint8_t *local, int32_t c, int32_t y,
                        int32_t x) {
  int64_t value;
  if (opcode == CONVOY_ABSTRACT_OP_lookup) {
    const int32_t index = load_value(in_row(regs, local, c, y) + x, R(in_type));
    const int32_t lowest = R(in_type) == CONVOY_ABSTRACT_S8 ? -128 : 0;
    out_row(regs, local, c, y)[x] = local[R(weight_addr) + index - lowest];
    return;
  }
  if (opcode == CONVOY_ABSTRACT_OP_add || opcode == CONVOY_ABSTRACT_OP_mul) {
    value = combine(regs, local, opcode, c, y, x);
  } else {
    value = pool_window(regs, local, c, y, x, opcode == CONVOY_ABSTRACT_OP_maxpool) * R(scale);
  }
  store_value(out_row(regs, local, c, y) + (int64_t)x * convoy_abstract_type_bytes(R(out_type)),
              R(out_type), requantize(regs, value, (uint32_t)R(shift)));
}

void convoy_abstract_compute(uint32_t opcode, const int32_t *regs, uint8_t *local) {
  const int is_depthwise = opcode == CONVOY_ABSTRACT_OP_dwconv;
  const int is_conv = is_depthwise || opcode == CONVOY_ABSTRACT_OP_conv;
  int32_t c;
  int32_t y;
  int32_t x;
  for (c = 0; c < R(out_c); ++c) {
    for (y = 0; y < R(out_h); ++y) {
      for (x = 0; x < R(out_w); x += is_conv ? CHUNK : 1) {
        if (is_conv) {
          conv_chunk(regs, local, c, y, x, is_depthwise);
        } else {
          run_element(opcode, regs, local, c, y, x);
        }
      }
    }
  }
}
