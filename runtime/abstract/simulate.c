/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instruction-set simulator: checks, times and runs each instruction. It computes results in
 * the order of the stream. It also checks that the engines' own order gives the same results: an
 * instruction that would start before the end of an instruction on which it depends is a race.
 */

#include "isa.h"

#include <string.h>

/* A range of local memory. */
typedef struct span {
  uint64_t first;
  uint64_t last; /* one past the last byte */
} span;

typedef struct access {
  uint64_t end; /* cycle */
  span reads[4];
  span writes;
} access;

typedef struct machine {
  const convoy_abstract_device *device;
  const convoy_abstract_segment *segments;
  size_t segment_count;
  uint8_t *local;
  convoy_abstract_report *report;
  uint32_t layer;
  uint64_t layer_start;
  int32_t regs[CONVOY_ABSTRACT_REGISTERS];
  convoy_abstract_clock clock;
  access recent[2][CONVOY_ABSTRACT_MAX_QUEUE];
} machine;

#define R(name) (m->regs[CONVOY_ABSTRACT_R_##name])

static uint64_t u(int32_t value) { return (uint64_t)(uint32_t)value; }

static span box(int32_t first, uint64_t planes, int32_t plane, uint64_t rows, int32_t row,
                uint64_t run) {
  span result;
  result.first = u(first);
  result.last = u(first) + (planes - 1) * u(plane) + (rows - 1) * u(row) + run;
  return result;
}

static int is_pointwise(uint32_t opcode) {
  return opcode == CONVOY_ABSTRACT_OP_add || opcode == CONVOY_ABSTRACT_OP_mul ||
         opcode == CONVOY_ABSTRACT_OP_lookup;
}

/* Computes the ranges that a compute instruction reads and writes. */
static void find_spans(const machine *m, uint32_t opcode, access *result) {
  const uint64_t in_bytes = u(R(in_w)) * convoy_abstract_type_bytes(R(in_type));
  const uint64_t channels = opcode == CONVOY_ABSTRACT_OP_conv ? u(R(in_c)) : 1;
  result->writes = box(R(out_addr), u(R(out_c)), R(out_plane), u(R(out_h)), R(out_row),
                       u(R(out_w)) * convoy_abstract_type_bytes(R(out_type)));
  result->reads[0] = box(R(in_addr), u(R(in_c)), R(in_plane), u(R(in_h)), R(in_row), in_bytes);
  if (opcode == CONVOY_ABSTRACT_OP_conv || opcode == CONVOY_ABSTRACT_OP_dwconv) {
    result->reads[1] =
        box(R(weight_addr), 1, 0, 1, 0, u(R(out_c)) * channels * u(R(kernel_h)) * u(R(kernel_w)));
    result->reads[2] = box(R(table_addr), 1, 0, 1, 0, u(R(out_c)) * CONVOY_ABSTRACT_TABLE_BYTES);
  } else if (opcode == CONVOY_ABSTRACT_OP_lookup) {
    result->reads[1] = box(R(weight_addr), 1, 0, 1, 0, 256);
  } else if (is_pointwise(opcode)) {
    result->reads[3] = box(R(in2_addr), u(R(out_c)), R(in2_plane), u(R(out_h)), R(in2_row),
                           u(R(out_w)) * convoy_abstract_type_bytes(R(in2_type)));
  }
}

/* Checks whether the device supports the instruction with its current registers. */
static int check_compute(const machine *m, uint32_t opcode) {
  const int is_wide = R(in_type) == CONVOY_ABSTRACT_S16 || R(out_type) == CONVOY_ABSTRACT_S16;
  const uint64_t taps =
      u(R(kernel_h)) * u(R(kernel_w)) * (opcode == CONVOY_ABSTRACT_OP_conv ? u(R(in_c)) : 1);
  const uint64_t most_taps = R(in_type) == CONVOY_ABSTRACT_S16 ? CONVOY_ABSTRACT_MOST_WIDE_TAPS
                                                               : CONVOY_ABSTRACT_MOST_TAPS;
  if (opcode == CONVOY_ABSTRACT_OP_dwconv && !m->device->depthwise) {
    return CONVOY_ABSTRACT_BAD_OPCODE;
  }
  if ((opcode != CONVOY_ABSTRACT_OP_conv && R(in_c) != R(out_c)) || taps > most_taps ||
      (is_wide && !m->device->wide_data) || R(out_min) > R(out_max)) {
    return CONVOY_ABSTRACT_BAD_VALUE;
  }
  if (is_pointwise(opcode) && (R(in_h) != R(out_h) || R(in_w) != R(out_w))) {
    return CONVOY_ABSTRACT_BAD_VALUE;
  }
  if (opcode == CONVOY_ABSTRACT_OP_lookup && is_wide) {
    return CONVOY_ABSTRACT_BAD_VALUE;
  }
  return !m->device->activation_zero_points && (R(in_zero) != 0 || R(out_zero) != 0)
             ? CONVOY_ABSTRACT_BAD_VALUE
             : CONVOY_ABSTRACT_OK;
}

static int overlaps(const span *a, const span *b) {
  return a->first < b->last && b->first < a->last;
}

static int conflicts(const access *a, const access *b) {
  int i;
  if (overlaps(&a->writes, &b->writes)) {
    return 1;
  }
  for (i = 0; i < 4; ++i) {
    if (overlaps(&a->reads[i], &b->writes) || overlaps(&b->reads[i], &a->writes)) {
      return 1;
    }
  }
  return 0;
}

/* Only the instructions that were in the other engine's queue can be unfinished. */
static int check_race(const machine *m, int engine, uint64_t start, const access *mine) {
  const access *others = m->recent[1 - engine];
  uint32_t i;
  for (i = 0; i < m->device->queue_depth; ++i) {
    if (others[i].end > start && conflicts(mine, &others[i])) {
      return CONVOY_ABSTRACT_RACE;
    }
  }
  return CONVOY_ABSTRACT_OK;
}

static int check_local(const machine *m, const access *mine) {
  int i;
  for (i = 0; i < 4; ++i) {
    if (mine->reads[i].last > m->device->memory_bytes) {
      return CONVOY_ABSTRACT_LOCAL_BOUNDS;
    }
  }
  return mine->writes.last > m->device->memory_bytes ? CONVOY_ABSTRACT_LOCAL_BOUNDS
                                                     : CONVOY_ABSTRACT_OK;
}

static void add_time(convoy_abstract_layer_report *report, int engine, uint64_t idle,
                     uint64_t cycles, uint64_t macs, uint64_t bytes) {
  if (engine == CONVOY_ABSTRACT_COMPUTE) {
    report->compute_cycles += cycles;
    report->stall_cycles += idle;
    report->macs += macs;
  } else {
    report->dma_cycles += cycles;
    report->dma_bytes += bytes;
  }
}

static convoy_abstract_layer_report *layer_report(const machine *m) {
  return m->report->layers != NULL && m->layer < m->report->layer_count
             ? &m->report->layers[m->layer]
             : NULL;
}

/* Checks, times and records one instruction of an engine. */
static int issue(machine *m, uint32_t opcode, uint32_t word, access *mine) {
  const int engine = convoy_abstract_engine(opcode);
  const uint64_t cycles = convoy_abstract_cycles(m->device, opcode, m->regs);
  const uint64_t macs =
      engine == CONVOY_ABSTRACT_COMPUTE ? convoy_abstract_macs(opcode, m->regs) : 0;
  const uint64_t bytes = u(R(dma_run)) * u(R(dma_rows)) * u(R(dma_planes));
  const uint64_t free_at = m->clock.end[engine];
  convoy_abstract_layer_report *layer = layer_report(m);
  uint64_t start;
  int code = check_local(m, mine);
  if (code != CONVOY_ABSTRACT_OK) {
    return code;
  }
  start = convoy_abstract_clock_issue(&m->clock, m->device, engine, word >> 16 & 255u, word >> 24,
                                      cycles);
  code = check_race(m, engine, start, mine);
  if (code != CONVOY_ABSTRACT_OK) {
    return code;
  }
  mine->end = start + cycles;
  m->recent[engine][(m->clock.issued[engine] - 1) % m->device->queue_depth] = *mine;
  add_time(&m->report->total, engine, start - free_at, cycles, macs, bytes);
  if (layer != NULL) {
    add_time(layer, engine, start - free_at, cycles, macs, bytes);
  }
  return CONVOY_ABSTRACT_OK;
}

static void move_bytes(machine *m, int is_load) {
  uint8_t *system = (uint8_t *)m->segments[R(dma_segment)].base + R(dma_offset);
  uint8_t *local = m->local + R(dma_local);
  int32_t plane;
  int32_t row;
  for (plane = 0; plane < R(dma_planes); ++plane) {
    for (row = 0; row < R(dma_rows); ++row) {
      uint8_t *there = system + (int64_t)plane * R(dma_plane) + (int64_t)row * R(dma_row);
      uint8_t *here = local + (int64_t)plane * R(dma_local_plane) + (int64_t)row * R(dma_local_row);
      memcpy(is_load ? here : there, is_load ? there : here, (size_t)R(dma_run));
    }
  }
}

static int run_dma(machine *m, uint32_t opcode, uint32_t word) {
  const int is_load = opcode == CONVOY_ABSTRACT_OP_load;
  const span system =
      box(R(dma_offset), u(R(dma_planes)), R(dma_plane), u(R(dma_rows)), R(dma_row), u(R(dma_run)));
  const span local = box(R(dma_local), u(R(dma_planes)), R(dma_local_plane), u(R(dma_rows)),
                         R(dma_local_row), u(R(dma_run)));
  access mine;
  int code;
  memset(&mine, 0, sizeof(mine));
  if (u(R(dma_segment)) >= m->segment_count || system.last > m->segments[R(dma_segment)].bytes) {
    return CONVOY_ABSTRACT_SYSTEM_BOUNDS;
  }
  if (is_load) {
    mine.writes = local;
  } else {
    mine.reads[0] = local;
  }
  code = issue(m, opcode, word, &mine);
  if (code == CONVOY_ABSTRACT_OK && m->local != NULL) {
    move_bytes(m, is_load);
  }
  return code;
}

static int run_compute(machine *m, uint32_t opcode, uint32_t word) {
  access mine;
  int code = check_compute(m, opcode);
  if (code != CONVOY_ABSTRACT_OK) {
    return code;
  }
  memset(&mine, 0, sizeof(mine));
  find_spans(m, opcode, &mine);
  code = issue(m, opcode, word, &mine);
  if (code == CONVOY_ABSTRACT_OK && m->local != NULL) {
    convoy_abstract_compute(opcode, m->regs, m->local);
  }
  return code;
}

static uint64_t time_of(const convoy_abstract_clock *clock) {
  uint64_t end = clock->now;
  end = clock->end[0] > end ? clock->end[0] : end;
  return clock->end[1] > end ? clock->end[1] : end;
}

static void close_layer(machine *m) {
  convoy_abstract_layer_report *layer = layer_report(m);
  const uint64_t end = time_of(&m->clock);
  if (layer != NULL) {
    layer->cycles += end - m->layer_start;
  }
  m->report->total.cycles = end;
  m->layer_start = end;
}

static int set_register(machine *m, uint32_t reg, uint32_t bits) {
  convoy_abstract_range range;
  int32_t value;
  if (reg >= CONVOY_ABSTRACT_REGISTERS) {
    return CONVOY_ABSTRACT_BAD_REGISTER;
  }
  memcpy(&value, &bits, sizeof(value));
  range = convoy_abstract_register_range(reg);
  if (value < range.least || value > range.most) {
    return CONVOY_ABSTRACT_BAD_VALUE;
  }
  m->regs[reg] = value;
  return CONVOY_ABSTRACT_OK;
}

static int step(machine *m, uint32_t word, uint32_t value) {
  const uint32_t opcode = word & 255u;
  if (opcode >= CONVOY_ABSTRACT_OPCODES) {
    return CONVOY_ABSTRACT_BAD_OPCODE;
  }
  ++m->report->total.instructions;
  if (convoy_abstract_engine(opcode) == CONVOY_ABSTRACT_DMA) {
    return run_dma(m, opcode, word);
  }
  if (convoy_abstract_engine(opcode) == CONVOY_ABSTRACT_COMPUTE) {
    return run_compute(m, opcode, word);
  }
  ++m->clock.now;
  if (opcode == CONVOY_ABSTRACT_OP_set) {
    return set_register(m, word >> 8 & 255u, value);
  }
  close_layer(m);
  m->layer = value;
  return CONVOY_ABSTRACT_OK;
}

/* Sets each register to its least non-negative value. */
static void reset_registers(machine *m) {
  uint32_t reg;
  for (reg = 0; reg < CONVOY_ABSTRACT_REGISTERS; ++reg) {
    const int32_t least = convoy_abstract_register_range(reg).least;
    m->regs[reg] = least < 0 ? 0 : least;
  }
}

int convoy_abstract_simulate(const convoy_abstract_device *device, const uint32_t *program,
                             size_t words, const convoy_abstract_segment *segments,
                             size_t segment_count, void *local_memory,
                             convoy_abstract_report *report, convoy_abstract_fault *fault) {
  machine m;
  size_t at;
  int code = convoy_abstract_check_device(device);
  if (code != CONVOY_ABSTRACT_OK) {
    return code;
  }
  memset(&m, 0, sizeof(m));
  m.device = device;
  m.segments = segments;
  m.segment_count = segment_count;
  m.local = local_memory;
  m.report = report;
  reset_registers(&m);
  memset(&report->total, 0, sizeof(report->total));
  if (report->layers != NULL) {
    memset(report->layers, 0, report->layer_count * sizeof(*report->layers));
  }
  for (at = 0; at + 1 < words; at += 2) {
    if ((program[at] & 255u) == CONVOY_ABSTRACT_OP_end) {
      close_layer(&m);
      return CONVOY_ABSTRACT_OK;
    }
    code = step(&m, program[at], program[at + 1]);
    if (code == CONVOY_ABSTRACT_OK && layer_report(&m) != NULL) {
      ++layer_report(&m)->instructions;
    }
    if (code != CONVOY_ABSTRACT_OK) {
      fault->word = (uint32_t)at;
      fault->layer = m.layer;
      return code;
    }
  }
  fault->word = (uint32_t)words;
  fault->layer = m.layer;
  return CONVOY_ABSTRACT_NO_END;
}
