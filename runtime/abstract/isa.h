/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Encoding and time of instructions, shared by generator, simulator and
 * assembler: the planner's costs are the simulator's cycles because both ask here.
 *
 *   word 0   opcode | register << 8 | DMA lag << 16 | compute lag << 24
 *   word 1   value of `set`, number of `layer`, else 0
 *
 * A lag of n lets an instruction start once all instructions of that engine
 * before it in the stream but the last n have ended.
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
#define CONVOY_ABSTRACT_TABLE_BYTES 16u /* per channel: bias, multiplier, shift, weight's zero */
/* Sums of 8-bit products stay exact in 32 bits up to here: 32768 x 255 x 255 < 2^31. */
#define CONVOY_ABSTRACT_MOST_TAPS 32768u
#define CONVOY_ABSTRACT_MOST_WIDE_TAPS 256u /* of 16-bit data: 256 x 2^15 x 255 < 2^31 */

typedef struct convoy_abstract_range {
  int32_t least;
  int32_t most;
} convoy_abstract_range;

convoy_abstract_range convoy_abstract_register_range(uint32_t reg);
int convoy_abstract_engine(uint32_t opcode);

static inline uint32_t convoy_abstract_type_bytes(int32_t type) {
  return type == CONVOY_ABSTRACT_S16 ? 2u : 1u;
}

/* Multiply-accumulates that an instruction does for the model; 0 for those without. */
uint64_t convoy_abstract_macs(uint32_t opcode, const int32_t *regs);

/* How long an instruction keeps its engine busy. */
uint64_t convoy_abstract_cycles(const convoy_abstract_device *device, uint32_t opcode,
                                const int32_t *regs);

/* When instructions start and end. Both engines run their own in order; the dispatcher
 * handles one instruction of the stream per cycle. */
typedef struct convoy_abstract_clock {
  uint64_t now;       /* of the dispatcher */
  uint64_t issued[2]; /* instructions per engine */
  uint64_t end[2];    /* of the last instruction */
  uint64_t ends[2][256];
} convoy_abstract_clock;

void convoy_abstract_clock_reset(convoy_abstract_clock *clock);

/* Puts an instruction into its engine's queue and returns when it starts. */
uint64_t convoy_abstract_clock_issue(convoy_abstract_clock *clock,
                                     const convoy_abstract_device *device, int engine,
                                     uint32_t dma_lag, uint32_t compute_lag, uint64_t cycles);

/* Runs a compute instruction on local memory. */
void convoy_abstract_compute(uint32_t opcode, const int32_t *regs, uint8_t *local);

#ifdef __cplusplus
}
#endif

#endif
