/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compares the bodies of macros on vectors with scalar arithmetic. CMake compiles this file once
 * per instruction set, with CHECK_BODIES as the name of the function; macros_test.cpp calls the
 * functions that the CPU supports. */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VECTOR(type, name, lanes)                                                                  \
  typedef type name __attribute__((vector_size(lanes * sizeof(type))))
VECTOR(uint32_t, u32x4, 4);
VECTOR(uint32_t, u32x8, 8);
VECTOR(uint32_t, u32x16, 16);
VECTOR(int32_t, i32x4, 4);
VECTOR(int32_t, i32x8, 8);
VECTOR(int32_t, i32x16, 16);
VECTOR(uint64_t, u64x2, 2);
VECTOR(uint64_t, u64x4, 4);
VECTOR(uint64_t, u64x8, 8);
VECTOR(int64_t, i64x2, 2);
VECTOR(int64_t, i64x4, 4);
VECTOR(int64_t, i64x8, 8);

VECTOR(uint8_t, u8x4, 4);
VECTOR(uint8_t, u8x8, 8);
VECTOR(uint8_t, u8x16, 16);
VECTOR(int8_t, i8x4, 4);
VECTOR(int8_t, i8x8, 8);
VECTOR(int8_t, i8x16, 16);
VECTOR(uint16_t, u16x4, 4);
VECTOR(uint16_t, u16x8, 8);
VECTOR(uint16_t, u16x16, 16);
VECTOR(int16_t, i16x4, 4);
VECTOR(int16_t, i16x8, 8);
VECTOR(int16_t, i16x16, 16);
VECTOR(ptrdiff_t, indices8, 8);
VECTOR(ptrdiff_t, indices16, 16);
VECTOR(float, f32x4, 4);
VECTOR(float, f32x8, 8);
VECTOR(float, f32x16, 16);

#if defined(__has_builtin)
#define CONVOY_HAS_BUILTIN(name) __has_builtin(name)
#else
#define CONVOY_HAS_BUILTIN(name) 0
#endif

#include <dot_ss.h>
#include <dot_us.h>
#include <dot_words.h>
#include <elementwise.h>
#include <lane_memory.h>
#include <matmul_us.h>
#include <multiply_halves.h>
#include <resize.h>
#include <tiles.h>
#include <widen_halves.h>

static uint32_t dot_us(uint32_t sum, uint32_t x, uint32_t w) {
  for (int i = 0; i < 32; i += 8) {
    sum += ((x >> i) & 255u) * (0u + (uint32_t)(int8_t)(w >> i));
  }
  return sum;
}

static uint32_t dot_ss(uint32_t sum, uint32_t x, uint32_t w) {
  for (int i = 0; i < 32; i += 8) {
    sum += (uint32_t)((int8_t)(x >> i) * (int8_t)(w >> i));
  }
  return sum;
}

static uint32_t dot_words(uint32_t sum, uint32_t x, uint32_t w) {
  for (int i = 0; i < 32; i += 16) {
    sum += (uint32_t)(int16_t)(x >> i) * (uint32_t)(int16_t)(w >> i);
  }
  return sum;
}

/* Extreme bytes are frequent, so that a body that saturates fails. */
static uint32_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  uint32_t word = (uint32_t)(*state >> 32);
  return (word & 7u) == 0 ? 0xffffffffu : (word & 7u) == 1 ? 0x80808080u : word;
}

#define CHECK_DOT(NAME, function, V, lanes)                                                        \
  do {                                                                                             \
    V sums, x, w;                                                                                  \
    memcpy(&sums, numbers, sizeof sums);                                                           \
    memcpy(&x, numbers + 16, sizeof x);                                                            \
    memcpy(&w, numbers + 32, sizeof w);                                                            \
    const V result = NAME(sums, x, w);                                                             \
    for (int i = 0; i < lanes; ++i) {                                                              \
      if (result[i] != function(sums[i], x[i], w[i])) {                                            \
        return #NAME;                                                                              \
      }                                                                                            \
    }                                                                                              \
  } while (0)

#define CHECK_MATMUL()                                                                             \
  do {                                                                                             \
    u32x4 sums, x, w;                                                                              \
    memcpy(&sums, numbers, sizeof sums);                                                           \
    memcpy(&x, numbers + 16, sizeof x);                                                            \
    memcpy(&w, numbers + 32, sizeof w);                                                            \
    const u32x4 result = CONVOY_MATMUL_US_4(sums, x, w);                                           \
    for (int i = 0; i < 4; ++i) {                                                                  \
      const int row = i / 2 * 2, column = i % 2 * 2;                                               \
      const uint32_t half = dot_us(sums[i], x[row], w[column]);                                    \
      if (result[i] != dot_us(half, x[row + 1], w[column + 1])) {                                  \
        return "CONVOY_MATMUL_US_4";                                                               \
      }                                                                                            \
    }                                                                                              \
  } while (0)

#define CHECK_HALVES(NAME, V, lanes)                                                               \
  do {                                                                                             \
    V x, y;                                                                                        \
    memcpy(&x, numbers, sizeof x);                                                                 \
    memcpy(&y, numbers + 16, sizeof y);                                                            \
    const V result = NAME(x, y);                                                                   \
    for (int i = 0; i < lanes; ++i) {                                                              \
      if ((int64_t)result[i] != (int64_t)(int32_t)x[i] * (int32_t)y[i]) {                          \
        return #NAME;                                                                              \
      }                                                                                            \
    }                                                                                              \
  } while (0)

#define CHECK_RESIZE(lanes, B, V)                                                                  \
  do {                                                                                             \
    B bytes;                                                                                       \
    V words;                                                                                       \
    memcpy(&bytes, numbers, sizeof bytes);                                                         \
    memcpy(&words, numbers, sizeof words);                                                         \
    const V upper = CONVOY_EXTEND_U8_##lanes(bytes), sign = CONVOY_EXTEND_I8_##lanes(bytes);       \
    const B lower = CONVOY_TRUNCATE_U32_##lanes(words);                                            \
    for (int i = 0; i < lanes; ++i) {                                                              \
      if (upper[i] != bytes[i] || (int32_t)sign[i] != (int8_t)bytes[i] ||                          \
          lower[i] != (uint8_t)words[i]) {                                                         \
        return "resize " #lanes;                                                                   \
      }                                                                                            \
    }                                                                                              \
  } while (0)

/* The value of a half from its sign, exponent and mantissa; NaN for every NaN. */
static float half_value(uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  float value = (float)(exponent == 0 ? mantissa : mantissa + 1024);
  for (int i = exponent == 0 ? 1 : exponent; i < 25; ++i) {
    value *= 0.5f;
  }
  for (int i = 25; i < exponent; ++i) {
    value *= 2;
  }
  value = exponent < 31 ? value : mantissa == 0 ? (float)INFINITY : (float)NAN;
  return (half & 0x8000) != 0 ? -value : value;
}

#define CHECK_WIDEN(lanes, H, V)                                                                   \
  do {                                                                                             \
    H halves;                                                                                      \
    memcpy(&halves, numbers, sizeof halves);                                                       \
    const V result = CONVOY_WIDEN_HALVES_##lanes(halves);                                          \
    for (int i = 0; i < lanes; ++i) {                                                              \
      const float expected = half_value(halves[i]), got = result[i];                               \
      const int is_nan = expected != expected;                                                     \
      if (is_nan ? got == got : memcmp(&got, &expected, sizeof got) != 0) {                        \
        return "CONVOY_WIDEN_HALVES_" #lanes;                                                      \
      }                                                                                            \
    }                                                                                              \
  } while (0)

/* A float with few bits, so that roundings meet ties, or any float. */
static float number_of(uint32_t word) {
  float any;
  memcpy(&any, &word, sizeof any);
  return (word & 0x1000u) != 0 ? any : (float)(int16_t)(word >> 16) * 0.25f;
}

static int is_same(float x, float y) { return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0; }

#define CHECK_MATH(lanes, V)                                                                       \
  do {                                                                                             \
    V a, b, c;                                                                                     \
    for (int i = 0; i < lanes; ++i) {                                                              \
      a[i] = number_of(numbers[i]);                                                                \
      b[i] = number_of(numbers[16 + i]);                                                           \
      c[i] = number_of(numbers[32 + i]);                                                           \
    }                                                                                              \
    const V fused = CONVOY_FMA_F32_##lanes(a, b, c), root = CONVOY_SQRT_F32_##lanes(a);            \
    const V even = CONVOY_RINT_F32_##lanes(a), down = CONVOY_FLOOR_F32_##lanes(a);                 \
    const V up = CONVOY_CEIL_F32_##lanes(a), whole = CONVOY_TRUNC_F32_##lanes(a);                  \
    const V positive = CONVOY_FABS_F32_##lanes(a), sign = CONVOY_COPYSIGN_F32_##lanes(a, b);       \
    for (int i = 0; i < lanes; ++i) {                                                              \
      const float x = a[i];                                                                        \
      if (!is_same(fused[i], fmaf(x, b[i], c[i])) || !is_same(root[i], sqrtf(x)) ||                \
          !is_same(even[i], rintf(x)) || !is_same(down[i], floorf(x)) ||                           \
          !is_same(up[i], ceilf(x)) || !is_same(whole[i], truncf(x)) ||                            \
          !is_same(positive[i], fabsf(x)) || !is_same(sign[i], copysignf(x, b[i]))) {              \
        return "elementwise " #lanes;                                                              \
      }                                                                                            \
    }                                                                                              \
  } while (0)

/* Masks select some lanes. Indices of other lanes are out of range. */
#define CHECK_MEMORY(lanes, V, M, T)                                                               \
  do {                                                                                             \
    T from[48], to[48];                                                                            \
    memcpy(from, numbers, sizeof from);                                                            \
    memset(to, 0, sizeof to);                                                                      \
    indices##lanes indices;                                                                        \
    M mask;                                                                                        \
    V other;                                                                                       \
    for (int i = 0; i < lanes; ++i) {                                                              \
      mask[i] = (numbers[i] & 64u) != 0 ? -1 : 0;                                                  \
      indices[i] = mask[i] != 0 ? (ptrdiff_t)(numbers[i] % 48u) : PTRDIFF_MAX / 8;                 \
      other[i] = from[47 - i];                                                                     \
    }                                                                                              \
    const V found = CONVOY_GATHER_##lanes(V, indices##lanes, from, indices, mask, other);          \
    const V loaded = CONVOY_LOAD_IF_##lanes(V, from + 3, mask, other);                             \
    CONVOY_STORE_IF_##lanes(V, to + 5, mask, loaded);                                              \
    for (int i = 0; i < lanes; ++i) {                                                              \
      const int is_set = mask[i] != 0;                                                             \
      const T expected[] = {is_set ? from[indices[i]] : other[i], is_set ? from[3 + i] : other[i], \
                            is_set ? from[3 + i] : 0};                                             \
      const T got[] = {found[i], loaded[i], to[5 + i]};                                            \
      if (memcmp(got, expected, sizeof got) != 0) {                                                \
        return "memory " #lanes;                                                                   \
      }                                                                                            \
    }                                                                                              \
  } while (0)

/* Multiplies tiles whose rows are 24 words apart. All rows start from one row of sums. */
static const char *check_tiles(uint64_t *state) {
  uint32_t x[16 * 24], w[16 * 24], start[16], sums[16 * 16], products[16 * 24];
  _Alignas(64) uint8_t config[64] = {1};
  for (int i = 0; i < 8; ++i) {
    config[16 + 2 * i] = 64;
    config[48 + i] = 16;
  }
  for (int i = 0; i < 16 * 24; ++i) {
    x[i] = next(state);
    w[i] = next(state);
  }
  for (int i = 0; i < 16; ++i) {
    start[i] = next(state);
  }
  CONVOY_TILES_BEGIN((uintptr_t)config);
  CONVOY_TILE_LOAD(0, (uintptr_t)start, 0);
  CONVOY_TILE_LOAD(6, (uintptr_t)x, 96);
  CONVOY_TILE_LOAD(7, (uintptr_t)w, 96);
  CONVOY_TILE_DOT_US(0, 6, 7);
  CONVOY_TILE_STORE(0, (uintptr_t)sums, 64);
  CONVOY_TILE_ZERO(5);
  CONVOY_TILE_DOT_US(5, 6, 7);
  CONVOY_TILE_STORE(5, (uintptr_t)products, 96);
  CONVOY_TILES_END();
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      uint32_t expected = 0;
      for (int word = 0; word < 16; ++word) {
        expected = dot_us(expected, x[row * 24 + word], w[word * 24 + column]);
      }
      if (products[row * 24 + column] != expected ||
          sums[row * 16 + column] != expected + start[column]) {
        return "tiles";
      }
    }
  }
  return 0;
}

const char *CHECK_BODIES(void);

/* Returns the name of a macro with a wrong result, or null. */
const char *CHECK_BODIES(void) {
  uint64_t state = 1;
  if (!convoy_request_tiles()) {
    return "convoy_request_tiles";
  }
  for (int round = 0; round < 1000; ++round) {
    const char *wrong = check_tiles(&state);
    if (wrong) {
      return wrong;
    }
  }
  for (int round = 0; round < 20000; ++round) {
    uint32_t numbers[48];
    for (int i = 0; i < 48; ++i) {
      numbers[i] = next(&state);
    }
    CHECK_MEMORY(8, u32x8, i32x8, uint32_t);
    CHECK_MEMORY(8, f32x8, i32x8, float);
    CHECK_MEMORY(16, u32x16, i32x16, uint32_t);
    CHECK_MEMORY(16, f32x16, i32x16, float);
    CHECK_MATH(4, f32x4);
    CHECK_MATH(8, f32x8);
    CHECK_MATH(16, f32x16);
    CHECK_WIDEN(4, u16x4, f32x4);
    CHECK_WIDEN(8, u16x8, f32x8);
    CHECK_WIDEN(16, u16x16, f32x16);
    CHECK_DOT(CONVOY_DOT_SS_4, dot_ss, u32x4, 4);
    CHECK_DOT(CONVOY_DOT_US_4, dot_us, u32x4, 4);
    CHECK_DOT(CONVOY_DOT_US_8, dot_us, u32x8, 8);
    CHECK_DOT(CONVOY_DOT_US_16, dot_us, u32x16, 16);
    CHECK_MATMUL();
    CHECK_DOT(CONVOY_DOT_WORDS_4, dot_words, u32x4, 4);
    CHECK_DOT(CONVOY_DOT_WORDS_8, dot_words, u32x8, 8);
    CHECK_DOT(CONVOY_DOT_WORDS_16, dot_words, u32x16, 16);
    CHECK_HALVES(CONVOY_MULTIPLY_HALVES_2, u64x2, 2);
    CHECK_HALVES(CONVOY_MULTIPLY_HALVES_4, u64x4, 4);
    CHECK_HALVES(CONVOY_MULTIPLY_HALVES_8, u64x8, 8);
    CHECK_RESIZE(4, u8x4, u32x4);
    CHECK_RESIZE(8, u8x8, u32x8);
    CHECK_RESIZE(16, u8x16, u32x16);
  }
  return 0;
}
