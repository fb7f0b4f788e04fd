/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Encoding and timing of instructions, shared by the generator, the simulator and the assembler.
 * The planner's costs equal the simulator's cycles, because both use these functions.
 *
 *   word 0   opcode | register << 8 | DMA lag << 16 | compute lag << 24
 *   word 1   value of `set`, number of `layer`, otherwise 0
 *
 * With a lag of n, an instruction starts once all earlier instructions of that engine except the
 * last n have ended.
 */

#ifndef CONVOY_ABSTRACT_ISA_H
#define CONVOY_ABSTRACT_ISA_H

#include "convoy/abstract.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CONVOY_ABSTRACT_DMA = 0, CONVOY_ABSTRACT_COMPUTE = 1, CONVOY_ABSTRACT_CONTROL = 2 };

enum {
#define REGISTER(name, least, most, text) CONVOY_ABSTRACT_R_##name,
#include "registers.inc"
#undef REGISTER
  CONVOY_ABSTRACT_REGISTERS
};

enum {
#define OPCODE(name, spelling, engine, text) CONVOY_ABSTRACT_OP_##name,
#include "opcodes.inc"
#undef OPCODE
  CONVOY_ABSTRACT_OPCODES
};

enum { CONVOY_ABSTRACT_U8 = 0, CONVOY_ABSTRACT_S8 = 1, CONVOY_ABSTRACT_S16 = 2 };

#define CONVOY_ABSTRACT_NO_WAIT 255u
#define CONVOY_ABSTRACT_MOST_LAG 254u
#define CONVOY_ABSTRACT_TABLE_BYTES 16u /* per channel: bias, multiplier, shift, weight zero */

/* Sums of this many 8-bit products are exact in 32 bits: 32768 x 255 x 255 < 2^31. */
#define CONVOY_ABSTRACT_MOST_TAPS 32768u
#define CONVOY_ABSTRACT_MOST_WIDE_TAPS 256u /* for 16-bit data: 256 x 2^15 x 255 < 2^31 */

typedef struct convoy_abstract_range {
  int32_t least;
  int32_t most;
} convoy_abstract_range;

convoy_abstract_range convoy_abstract_register_range(uint32_t reg);
int convoy_abstract_engine(uint32_t opcode);

static inline uint32_t convoy_abstract_type_bytes(int32_t type) {
  return type == CONVOY_ABSTRACT_S16 ? 2u : 1u;
}

/* Returns the multiply-accumulates of an instruction; 0 for instructions without any. */
uint64_t convoy_abstract_macs(uint32_t opcode, const int32_t *regs);

/* Returns the cycles for which an instruction occupies its engine. */
uint64_t convoy_abstract_cycles(const convoy_abstract_device *device, uint32_t opcode,
                                const int32_t *regs);

/* The start and end times of instructions. Each engine runs its instructions in order; the
 * dispatcher handles one instruction of the stream per cycle. */
typedef struct convoy_abstract_clock {
  uint64_t now;       /* time of the dispatcher */
  uint64_t issued[2]; /* instructions per engine */
  uint64_t end[2];    /* end of the last instruction per engine */
  uint64_t ends[2][256];
} convoy_abstract_clock;

void convoy_abstract_clock_reset(convoy_abstract_clock *clock);

/* Adds an instruction to its engine's queue and returns its start time. */
uint64_t convoy_abstract_clock_issue(convoy_abstract_clock *clock,
                                     const convoy_abstract_device *device, int engine,
                                     uint32_t dma_lag, uint32_t compute_lag, uint64_t cycles);

/* Runs a compute instruction on local memory. */
void convoy_abstract_compute(uint32_t opcode, const int32_t *regs, uint8_t *local);

#ifdef __cplusplus
}
#endif

#endif
