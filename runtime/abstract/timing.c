/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The cycle model; docs/targets/abstract.md lists the formulas.
 */

#include "isa.h"

#include <string.h>

static uint64_t divide_up(uint64_t value, uint64_t by) { return (value + by - 1) / by; }

static uint64_t at(const int32_t *regs, int reg) { return (uint64_t)(uint32_t)regs[reg]; }

convoy_abstract_range convoy_abstract_register_range(uint32_t reg) {
  static const convoy_abstract_range ranges[] = {
#define REGISTER(name, least, most, text) {least, most},
#include "registers.inc"
#undef REGISTER
  };
  return ranges[reg];
}

int convoy_abstract_engine(uint32_t opcode) {
  static const int engines[] = {
#define OPCODE(name, spelling, engine, text) engine,
#include "opcodes.inc"
#undef OPCODE
  };
  return engines[opcode];
}

static uint64_t pixels(const int32_t *regs) {
  return at(regs, CONVOY_ABSTRACT_R_out_h) * at(regs, CONVOY_ABSTRACT_R_out_w);
}

static uint64_t taps(const int32_t *regs) {
  return at(regs, CONVOY_ABSTRACT_R_kernel_h) * at(regs, CONVOY_ABSTRACT_R_kernel_w);
}

uint64_t convoy_abstract_macs(uint32_t opcode, const int32_t *regs) {
  uint64_t each = at(regs, CONVOY_ABSTRACT_R_out_c) * pixels(regs) * taps(regs);
  if (opcode == CONVOY_ABSTRACT_OP_conv) {
    return each * at(regs, CONVOY_ABSTRACT_R_in_c);
  }
  return opcode == CONVOY_ABSTRACT_OP_dwconv ? each : 0;
}

/* Runs that are contiguous in system memory form one burst. */
static uint64_t dma_cycles(const convoy_abstract_device *device, const int32_t *regs) {
  uint64_t run = at(regs, CONVOY_ABSTRACT_R_dma_run);
  uint64_t rows = at(regs, CONVOY_ABSTRACT_R_dma_rows);
  uint64_t planes = at(regs, CONVOY_ABSTRACT_R_dma_planes);
  if (rows == 1 || at(regs, CONVOY_ABSTRACT_R_dma_row) == run) {
    run *= rows;
    rows = 1;
    if (planes == 1 || at(regs, CONVOY_ABSTRACT_R_dma_plane) == run) {
      run *= planes;
      planes = 1;
    }
  }
  return device->dma_latency_cycles + rows * planes * divide_up(run, device->dma_bytes_per_cycle);
}

static uint64_t conv_cycles(const convoy_abstract_device *device, const int32_t *regs) {
  uint64_t in_c = at(regs, CONVOY_ABSTRACT_R_in_c);
  uint64_t out_c = at(regs, CONVOY_ABSTRACT_R_out_c);
  uint64_t steps = device->parallel == CONVOY_ABSTRACT_OUTPUT_PARALLEL
                       ? divide_up(out_c, device->pes) * in_c
                       : divide_up(in_c, device->pes) * out_c;
  return steps * pixels(regs) * taps(regs);
}

uint64_t convoy_abstract_cycles(const convoy_abstract_device *device, uint32_t opcode,
                                const int32_t *regs) {
  uint64_t out_c = at(regs, CONVOY_ABSTRACT_R_out_c);
  uint64_t vectors = divide_up(out_c * pixels(regs), device->pes);
  uint64_t wide = convoy_abstract_type_bytes(regs[CONVOY_ABSTRACT_R_in_type]);
  switch (opcode) {
  case CONVOY_ABSTRACT_OP_load:
  case CONVOY_ABSTRACT_OP_store:
    return dma_cycles(device, regs);
  case CONVOY_ABSTRACT_OP_conv:
    return device->startup_cycles + wide * conv_cycles(device, regs);
  case CONVOY_ABSTRACT_OP_dwconv:
    return device->startup_cycles +
           wide * divide_up(out_c, device->pes) * pixels(regs) * taps(regs);
  case CONVOY_ABSTRACT_OP_maxpool:
  case CONVOY_ABSTRACT_OP_avgpool:
    return device->startup_cycles + wide * vectors * taps(regs);
  default:
    return device->startup_cycles + wide * vectors;
  }
}

void convoy_abstract_clock_reset(convoy_abstract_clock *clock) { memset(clock, 0, sizeof(*clock)); }

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Returns the end time of the instruction `back` positions before the next one of an engine. */
static uint64_t end_before(const convoy_abstract_clock *clock, int engine, uint64_t back) {
  uint64_t issued = clock->issued[engine];
  return back > issued ? 0 : clock->ends[engine][(issued - back) & 255u];
}

uint64_t convoy_abstract_clock_issue(convoy_abstract_clock *clock,
                                     const convoy_abstract_device *device, int engine,
                                     uint32_t dma_lag, uint32_t compute_lag, uint64_t cycles) {
  const uint32_t lags[2] = {dma_lag, compute_lag};
  uint64_t start;
  int other;
  clock->now = later(clock->now + 1, end_before(clock, engine, device->queue_depth));
  start = later(clock->now, clock->end[engine]);
  for (other = 0; other < 2; ++other) {
    if (lags[other] != CONVOY_ABSTRACT_NO_WAIT) {
      start = later(start, end_before(clock, other, (uint64_t)lags[other] + 1));
    }
  }
  clock->end[engine] = start + cycles;
  clock->ends[engine][clock->issued[engine] & 255u] = clock->end[engine];
  ++clock->issued[engine];
  return start;
}
