/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The kind of an instruction by its encoding: Thumb of Armv6-M to Armv8.1-M, and RISC-V. The
 * counting plug-in sums the cycles of the kinds that a target's `instructionCycles` describes. The
 * sums are estimates without cache misses, stalls and dual issue.
 */

#ifndef CONVOY_INSTRUCTION_KINDS_H
#define CONVOY_INSTRUCTION_KINDS_H

#include <stdint.h>

/* In the order of `instructionCycles` in a target's description. */
enum instruction_kind {
  KIND_INTEGER,
  KIND_MULTIPLY,
  KIND_DIVIDE,
  KIND_LOAD,
  KIND_STORE,
  KIND_BRANCH,
  KIND_FLOATING,
  KIND_VECTOR,
  KIND_COUNT
};

static enum instruction_kind load_or_store(uint32_t is_load) {
  return is_load != 0 ? KIND_LOAD : KIND_STORE;
}

static enum instruction_kind kind_of_thumb16(uint32_t word) {
  if ((word & 0xffc0u) == 0x4340u) {
    return KIND_MULTIPLY;
  }
  if ((word & 0xff00u) == 0x4700u || (word & 0xf500u) == 0xb100u) {
    return KIND_BRANCH; /* BX, BLX, CBZ, CBNZ */
  }
  if ((word & 0xf800u) == 0x4800u) {
    return KIND_LOAD; /* literal */
  }
  switch (word >> 12) {
  case 5: /* register offset: opcodes 0 to 2 store, 3 to 7 load */
    return load_or_store((word >> 9 & 7u) >= 3u);
  case 6:
  case 7:
  case 8:
  case 9:
  case 12:
    return load_or_store(word & 0x0800u);
  case 11: /* PUSH and POP; other instructions are integer instructions */
    return (word & 0x0600u) == 0x0400u ? load_or_store(word & 0x0800u) : KIND_INTEGER;
  case 13: /* B<cond>; SVC and UDF end the program */
  case 14:
    return KIND_BRANCH;
  default:
    return KIND_INTEGER;
  }
}

/* Coprocessors 10 and 11 are scalar floats, 14 and 15 vectors. */
static enum instruction_kind kind_of_coprocessor(uint32_t first, uint32_t second) {
  const uint32_t number = second >> 8 & 0xfu;
  if ((first & 0x0300u) == 0x0300u || number >= 14u) {
    return KIND_VECTOR;
  }
  if ((first & 0x0200u) == 0 && number >= 10u) {
    return load_or_store(first & 0x0010u);
  }
  return number >= 10u ? KIND_FLOATING : KIND_INTEGER;
}

static enum instruction_kind kind_of_thumb32(uint32_t first, uint32_t second) {
  if ((first & 0xec00u) == 0xec00u) {
    return kind_of_coprocessor(first, second);
  }
  if ((first & 0xfe00u) == 0xe800u) {
    const uint32_t is_table = (first & 0xfff0u) == 0xe8d0u && (second & 0x00e0u) == 0;
    return is_table ? KIND_BRANCH : load_or_store(first & 0x0010u);
  }
  if ((first & 0xf800u) == 0xf000u && (second & 0x8000u) != 0) {
    return KIND_BRANCH; /* also the instructions of loops with a hardware counter */
  }
  if ((first & 0xfe00u) == 0xf800u) {
    return load_or_store(first & 0x0010u);
  }
  if ((first & 0xff00u) == 0xfb00u) {
    const uint32_t is_divide = (first & 0x00d0u) == 0x0090u && (second & 0x00f0u) == 0x00f0u;
    return is_divide ? KIND_DIVIDE : KIND_MULTIPLY;
  }
  return KIND_INTEGER;
}

static enum instruction_kind kind_of_riscv16(uint32_t word) {
  const uint32_t quadrant = word & 3u, function = word >> 13;
  const uint32_t is_jump = function == 4u && (word & 0x007cu) == 0 && (word & 0x0f80u) != 0;
  if (quadrant == 1u) {
    return function == 1u || function >= 5u ? KIND_BRANCH : KIND_INTEGER;
  }
  if (function == 0 || function == 4u) {
    return quadrant == 2u && is_jump ? KIND_BRANCH : KIND_INTEGER;
  }
  return load_or_store(function < 4u);
}

static enum instruction_kind kind_of_riscv32(uint32_t word) {
  const uint32_t function = word >> 12 & 7u;
  switch (word & 0x7fu) {
  case 0x03:
    return KIND_LOAD;
  case 0x23:
    return KIND_STORE;
  case 0x07: /* widths 2 and 3 are scalar floats, others vectors */
  case 0x27:
    return function == 2u || function == 3u ? load_or_store((word & 0x20u) == 0) : KIND_VECTOR;
  case 0x33:
    return word >> 25 != 1u ? KIND_INTEGER : function < 4u ? KIND_MULTIPLY : KIND_DIVIDE;
  case 0x43:
  case 0x47:
  case 0x4b:
  case 0x4f:
  case 0x53:
    return KIND_FLOATING;
  case 0x57:
    return KIND_VECTOR;
  case 0x63:
  case 0x67:
  case 0x6f:
    return KIND_BRANCH;
  default:
    return KIND_INTEGER;
  }
}

/* `first` and `second` are the half-words of the instruction in the order of the memory. */
static enum instruction_kind kind_of_thumb(uint32_t first, uint32_t second) {
  return first >> 11 >= 0x1du ? kind_of_thumb32(first, second) : kind_of_thumb16(first);
}

static enum instruction_kind kind_of_riscv(uint32_t first, uint32_t second) {
  return (first & 3u) == 3u ? kind_of_riscv32(first | second << 16) : kind_of_riscv16(first);
}

#endif /* CONVOY_INSTRUCTION_KINDS_H */
